"""Reading a text file that somebody else may have written."""

from pathlib import Path

#: Bytes of a file of data. Reading it takes about 20 times as much memory.
LIMIT = 200_000_000
#: Characters of a file that a message shows.
SHOWN = 300


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark.

    Raises ValueError naming the file and the line where it is no such text or has a NUL byte, or
    naming the file where it has more than `LIMIT` bytes.
    """
    with open(path, "rb") as file:
        content = file.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise ValueError(f"{path}: more than the {LIMIT:,} bytes that are read of a file of data")
    try:
        text = content.decode("utf-8-sig")
        if "\0" in text:
            raise UnicodeDecodeError("utf-8", content, content.index(b"\0"), 0, "a NUL byte")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not text in UTF-8 ({error.reason})") from error
    return text


def shown(text: object) -> str:
    """Return the text, cut off where it is too long for a message."""
    whole = str(text)
    return whole if len(whole) <= SHOWN else f"{whole[:SHOWN]} …"
