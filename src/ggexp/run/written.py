"""Mistakes in the text of a configuration, which YAML reads without an error."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml

#: Levels of nested parts of a configuration. At about a thousand, Snakemake fails.
MAX_LEVELS = 100
#: Whole numbers that YAML reads in base 8 or, with a colon, in base 60.
_OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")


def check_written(path: Path) -> None:
    """Raise ValueError for mistakes in a configuration.

    It must be text in UTF-8, and YAML or JSON. Mistakes that YAML reads without an error are keys
    that stand twice, numbers in base 8 or 60, whole numbers of more digits than Python reads, and
    parts that are nested too deeply or contain themselves, which Snakemake cannot read.
    """
    try:
        text = path.read_text("utf-8")
        root = yaml.compose(text, yaml.CSafeLoader)
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise ValueError(f"{path}, line {line}: not text in UTF-8; save it as UTF-8") from error
    except yaml.YAMLError as error:
        with suppress(ValueError, RecursionError):
            json.loads(text)  # may be indented with tabs
            return
        reason = str(error).replace('"<unicode string>", ', "").replace("\n", "\n  ")
        raise ValueError(f"{path} cannot be read as YAML:\n  {reason}") from error
    if not isinstance(root, yaml.MappingNode):
        return  # Snakemake says so
    if problems := [*_problems("", root, (), set())]:
        raise ValueError(f"{path} is not valid:\n  " + "\n  ".join(problems))


def _problems(key: str, node: yaml.Node, within: tuple[int, ...], seen: set[int]) -> Iterator[str]:
    """Yield a message for each mistake in a part of a file, which is within other parts."""
    if id(node) in within or len(within) == MAX_LEVELS:
        first, line = key.partition(".")[0], node.start_mark.line + 1
        too_deep = f"is nested more than {MAX_LEVELS} levels deep"
        reason = "contains itself by an alias (*)" if id(node) in within else too_deep
        yield f"{first}: the part that begins in line {line} {reason}"
        return
    if id(node) in seen:  # an alias repeats a part
        return
    seen.add(id(node))
    within = (*within, id(node))
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for name, value in node.value:
            part = f"{key}.{name.value}".lstrip(".")
            line = name.start_mark.line + 1
            if name.value != "<<" and name.value in lines:
                yield f"{part}: stands twice, in lines {lines[name.value]} and {line}; keep one"
            lines[name.value] = line
            yield from _problems(part, value, within, seen)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield from _problems(f"{key}[{position}]", value, within, seen)
    elif node.tag.endswith(":int") and len(node.value) > sys.int_info.default_max_str_digits:
        yield f"{key}: a number of {len(node.value):,} digits is too large"
    elif node.tag.endswith((":int", ":float")) and _OTHER_BASE.fullmatch(node.value):
        read = yaml.safe_load(node.value)
        yield (
            f"{key}: YAML reads {node.value} as {read}; write {read}, or the number that you mean "
            f'without leading zeros and colons, or "{node.value}" if it is text'
        )
