"""Mistakes in a configuration that only its text shows, because YAML reads it without an error."""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

#: Whole numbers that YAML reads in base 8 or, with a colon, in base 60.
_OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")


def config_files(arguments: Sequence[str]) -> list[Path]:
    """Return the configuration files that snakemake's arguments name."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="*", type=Path, default=[])
    options, _ = parser.parse_known_args(arguments)
    return list(options.configfile)


def check_written(path: Path) -> None:
    """Raise ValueError with the keys that a file has twice, and with numbers not meant as written.

    These are numbers in base 8 or 60, and whole numbers of more digits than Python reads.
    Also raises ValueError if the file is not text in UTF-8. A file that is not YAML is left to
    Snakemake.
    """
    try:
        root = yaml.compose(path.read_text("utf-8"), yaml.CSafeLoader)
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise ValueError(f"{path}, line {line}: not text in UTF-8; save it as UTF-8") from error
    except (yaml.YAMLError, RecursionError):
        return
    if problems := [*_problems("", root, set())] if root else []:
        raise ValueError(f"{path} is not valid:\n  " + "\n  ".join(problems))


def _problems(key: str, node: yaml.Node, seen: set[int]) -> Iterator[str]:
    """Yield a message for each mistake in a part of a file.

    seen: the parts that have been visited, because an alias repeats a part.
    """
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for name, value in node.value:
            part = f"{key}.{name.value}".lstrip(".")
            line = name.start_mark.line + 1
            if name.value != "<<" and name.value in lines:
                yield f"{part}: stands twice, in lines {lines[name.value]} and {line}; keep one"
            lines[name.value] = line
            yield from _problems(part, value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield from _problems(f"{key}[{position}]", value, seen)
    elif node.tag.endswith(":int") and len(node.value) > sys.int_info.default_max_str_digits:
        yield f"{key}: a number of {len(node.value):,} digits is too large"
    elif node.tag.endswith((":int", ":float")) and _OTHER_BASE.fullmatch(node.value):
        read = yaml.safe_load(node.value)
        yield (
            f"{key}: YAML reads {node.value} as {read}; write {read}, or the number that you mean "
            f'without leading zeros and colons, or "{node.value}" if it is text'
        )
