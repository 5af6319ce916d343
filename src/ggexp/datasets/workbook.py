"""Read the table in a sheet of an Excel workbook."""

import io
import re
import zipfile
from typing import Any, NamedTuple

import numpy as np

from ggexp.datasets.columns import text_of
from ggexp.datasets.form import Source, line_error
from ggexp.words import shortened

#: Largest number of bytes of a workbook, once decompressed. Reading takes ten times as much memory.
MAX_BYTES = 100_000_000
#: A cell with a formula whose value no program has computed; its value is not an empty text.
NOT_COMPUTED = re.compile(
    rb'<c r="(\w+)"(?![^>]*t="str")[^>]*><f\b[^>]*(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>'
)


class Sheet(NamedTuple):
    """The content of a sheet: the text of each cell, in rows of the same length.

    merged: the first row and column, and the last row and column, of each merged range, from 0.
    hidden: the hidden rows and columns, in words.
    """

    cells: list[list[str]]
    merged: list[tuple[int, int, int, int]]
    hidden: list[str]
    is_hidden: bool


def read_workbook(
    source: Source, wanted: str | None
) -> tuple[str | None, list[list[str]], list[int], list[str]]:
    """Return the name of the sheet that is read, its rows, their line numbers, and notes.

    The sheet is the wanted one, or the first that is neither hidden nor empty; an only sheet has
    the name None. Rows with one cell above and below the table are left out. All cells of a merged
    range get the text of its first cell.
    """
    with source.open() as file:
        content = file.read(MAX_BYTES + 1)
    size = len(content)
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = max(size, sum(member.file_size for member in archive.infolist()))
            if size <= MAX_BYTES:
                _check_formulas(source, archive)
    if size > MAX_BYTES:
        raise ValueError(
            f"{source}: at most {MAX_BYTES:,} bytes are allowed in a workbook, got {size:,}; save "
            "the sheet as CSV"
        )
    try:
        sheets = (_xls if source.ending == ".xls" else _xlsx)(content)
    except Exception as error:  # the packages that parse workbooks have many errors of their own
        raise ValueError(f"{source}: not a valid Excel file ({shortened(error)})") from error
    known = ", ".join(map(repr, sheets))
    if wanted is not None and wanted not in sheets:
        raise ValueError(f"{source}: no sheet {wanted!r}; the sheets are {known}")
    visible = [name for name, sheet in sheets.items() if not sheet.is_hidden]
    names = visible if wanted is None else [wanted]
    name = next((name for name in names if any(map(any, sheets[name].cells))), None)
    if name is None:
        place = "its visible sheets" if wanted is None else f"the sheet {wanted!r}"
        raise ValueError(f"{source}: no records in {place}; the sheets are {known}")
    rows, lines, notes = _table(f"{source}, sheet {name!r}", sheets[name])
    if hidden := sheets[name].hidden:
        notes.append(f"hidden parts of the sheet are read: {', '.join(hidden)}")
    if len(sheets) > 1:
        notes.insert(0, f"only the sheet {name!r} is read; --sheet chooses among {known}")
    return name if len(sheets) > 1 else None, rows, lines, notes


def _check_formulas(source: Source, workbook: zipfile.ZipFile) -> None:
    """Raise ValueError if a formula has no value, which would be read as an empty cell."""
    for member in workbook.namelist():
        if member.startswith("xl/worksheets/"):
            if found := NOT_COMPUTED.search(workbook.read(member)):
                raise ValueError(
                    f"{source}: the value of the formula in cell {found[1].decode()} is not stored "
                    "in the file; open the workbook in a spreadsheet program, and save it again"
                )


def _xlsx(content: bytes) -> dict[str, Sheet]:
    """Return the sheets of a workbook, by their names."""
    import openpyxl

    sheets = {}
    for sheet in openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets:
        cells = [[*map(text_of, row)] for row in sheet.iter_rows(values_only=True)]
        ranges = [
            (part.min_row - 1, part.min_col - 1, part.max_row - 1, part.max_col - 1)
            for part in sheet.merged_cells.ranges
        ]
        rows, columns = sheet.row_dimensions.items(), sheet.column_dimensions.items()
        hidden = [f"row {number}" for number, row in rows if row.hidden]
        hidden += [f"column {letter}" for letter, column in columns if column.hidden]
        sheets[sheet.title] = Sheet(cells, ranges, hidden, sheet.sheet_state != "visible")
    return sheets


def _xls(content: bytes) -> dict[str, Sheet]:
    """Return the result of `_xlsx` for a workbook in Excel's old format."""
    import xlrd

    workbook = xlrd.open_workbook(file_contents=content, formatting_info=True)

    def value(cell: Any) -> Any:
        if cell.ctype == xlrd.XL_CELL_DATE:
            return xlrd.xldate_as_datetime(cell.value, workbook.datemode)
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return xlrd.error_text_from_code[cell.value]
        return cell.value

    sheets = {}
    for sheet in workbook.sheets():
        cells = [[text_of(value(cell)) for cell in row] for row in sheet.get_rows()]
        ranges = [(a, c, b - 1, d - 1) for a, b, c, d in sheet.merged_cells]
        hidden = [f"row {row + 1}" for row, info in sheet.rowinfo_map.items() if info.hidden]
        columns = sheet.colinfo_map.items()
        hidden += [f"column {xlrd.colname(column)}" for column, info in columns if info.hidden]
        sheets[sheet.name] = Sheet(cells, ranges, hidden, sheet.visibility > 0)
    return sheets


def _table(place: str, sheet: Sheet) -> tuple[list[list[str]], list[int], list[str]]:
    """Return the rows of the table in a sheet, their line numbers, and notes."""
    cells = np.array(sheet.cells, dtype=object)
    filled = cells != ""
    sizes = filled.sum(axis=1)
    occupied = np.flatnonzero(sizes)
    header = int(next(iter(np.flatnonzero(sizes > 1)), occupied[0]))
    last = int(occupied[-1])
    for top, left, bottom, right in sheet.merged:
        if top <= header <= bottom and right > left and cells[top, left]:
            raise line_error(
                place,
                header + 1,
                f"{cells[top, left]!r} is the merged name of {right - left + 1} columns; give each "
                "column a name of its own, in one row",
            )
        # a merged cell to the right of all others is a value, which must not be counted twice
        if top > header and filled[top : bottom + 1, right + 1 :].any():
            cells[top : bottom + 1, left : right + 1] = cells[top, left]
    columns = np.flatnonzero(filled[header : last + 1].any(axis=0))
    if len(columns) > 1:
        while last > header and sizes[last] == 1 and cells[last, columns[0]]:
            last = int(occupied[occupied < last][-1])
    notes = []
    for row in occupied[(occupied < header) | (occupied > last)]:
        text = shortened(next(filter(None, cells[row])))
        notes.append(f"row {row + 1} of the sheet is left out, because it has one cell: {text!r}")
    kept = [row for row in range(header, last + 1) if (cells[row, columns] != "").any()]
    return [[*cells[row, columns]] for row in kept], [row + 1 for row in kept], notes
