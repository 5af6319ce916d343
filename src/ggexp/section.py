"""Sections of a configuration as typed models, with messages about what does not fit.

A section is a `Section`, a pydantic model: its fields are the keys with their types, ranges and
defaults, and the text below a field explains the key. A message has the path of the key, what
pydantic says of the value, the value, and advice. Text that represents a number is read as one,
because all values in lists and mappings of Snakemake's ``--config`` are text, and because YAML
reads 1e-5 as text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

#: A part of a configuration as it is written, before it is checked or after.
Settings = Mapping[str, Any]
#: The paths that Snakemake takes literally (it replaces {name} and <name>), and what they lack.
PATH = r"[^{}<>*?\x00-\x1f\x7f]+"
NOT_IN_PATHS = "{, }, <, >, *, ? and control characters"


class Section(BaseModel):
    """A section of a configuration.

    renamed: a former key -> what replaces it.
    """

    model_config = ConfigDict(
        alias_generator=lambda name: name.rstrip("_"),  # a key may be a word of Python: from
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
    )
    renamed: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def read(cls, settings: object, key: str) -> Self:
        """Return the section that is written as a mapping. key: its path in the configuration.

        Raises ValueError with a line for each mistake.
        """
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            raise ValueError("\n".join(problems_of(error, key))) from None

    def written(self) -> dict[str, Any]:
        """Return the section as a mapping of those keys that were given."""
        return self.model_dump(exclude_unset=True, by_alias=True, warnings=False)

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the keys."""
        return [str(field.alias) for field in cls.model_fields.values()]

    @model_validator(mode="before")
    @classmethod
    def _explain_unknown(cls, value: Any) -> Any:
        """Add the allowed keys to each unknown key, which pydantic then reports."""
        if not isinstance(value, Mapping):
            return value
        known = sorted(cls.names())

        def explained(key: str) -> str:
            near = get_close_matches(key, known, 1)
            hint = f"; now {cls.renamed[key]}" if key in cls.renamed else ""
            hint = hint or (f"; did you mean {near[0]}?" if near else "")
            return f"{key}: unknown key{hint}; allowed are {', '.join(known)}"

        return {
            explained(key) if isinstance(key, str) and key not in known else key: part
            for key, part in value.items()
        }


@dataclass(frozen=True, eq=False)
class Allowed:
    """A validator with words for the allowed values, if those of pydantic do not suffice.

    pattern: of the allowed texts.
    """

    words: str
    pattern: str | None = None

    def __call__(self, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        """Return the value if the type allows it, and a text if it matches the pattern."""
        with suppress(ValidationError):
            result = handler(value)
            if self.pattern is None or re.fullmatch(self.pattern, result, re.DOTALL):
                return result
        advice = _advice("string_type", value) if self.pattern else ""
        raise ValueError(f"must be {self.words}, got {in_yaml(value)}{advice}")


def allowed(words: str, pattern: str | None = None) -> WrapValidator:
    """Return an annotation that names the values that the type allows, or text with a pattern."""
    return WrapValidator(Allowed(words, pattern))


def one_of(choices: Iterable[str]) -> WrapValidator:
    """Return an annotation for one of several texts."""
    choices = [*choices]
    return allowed(f"one of {', '.join(map(repr, choices))}", "|".join(map(re.escape, choices)))


def _read_number(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Return a number, read from text if necessary, if the type allows it; 1 stays 1, not 1.0."""
    for number in (int, float) if isinstance(value, str) else ():
        with suppress(ValueError):
            value = number(value)
            break
    handler(value)
    return value


def _distinct(values: list[Any]) -> list[Any]:
    if len({*values}) < len(values):
        raise ValueError(f"must not contain a value twice, got {values!r}")
    return values


Value = TypeVar("Value")
SomeText = Annotated[str, Field(min_length=1)]
Flag = Annotated[bool, Field(strict=False)]
Number = Annotated[float, WrapValidator(_read_number)]
Whole = Annotated[int, WrapValidator(_read_number)]
Positive = Annotated[Whole, Field(ge=1)]
NotNegative = Annotated[Whole, Field(ge=0)]
#: A value or null, which is text in a mapping of a command line.
OrNull = Annotated[Value | None, BeforeValidator(lambda value: None if value == "null" else value)]
Distinct = Annotated[list[Value], AfterValidator(_distinct)]
#: A list of different values, at least one.
Several = Annotated[Distinct[Value], Field(min_length=1)]


class MisfitError(ValueError):
    """What a validator of a section raises about a place in the section, such as a key."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


def problems_of(error: ValidationError, key: str = "") -> Iterator[str]:
    """Yield a line for each mistake. key: the path of the section in the configuration."""
    for line in error.errors(include_url=False):
        kind, value, cause = line["type"], line["input"], line.get("ctx", {}).get("error")
        parts = [*line["loc"], *getattr(cause, "place", ())]
        is_name = parts[-1:] == ["[key]"]
        parts = parts[:-2] if is_name else parts
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
        message = f": {cause or line['msg']}"
        if not cause and kind != "missing":
            message += f", got {in_yaml(value)}{_advice(kind, value)}"
        if kind == "extra_forbidden":  # the key itself is the message
            message = ""
        yield f"{key}{place}".removeprefix(".") + " (a name)" * is_name + message


def _advice(kind: str, value: object) -> str:
    """Return how a value of a wrong type is written. kind: pydantic's name of the mistake."""
    if kind == "int_type" and isinstance(value, float) and value.is_integer():
        return f"; write {value:.0f}"
    if kind == "list_type" and not isinstance(value, Mapping):
        return f"; write [{in_yaml(value)}]"
    if kind == "string_type" and isinstance(value, bool):
        read, word = ("yes, on and true", "yes") if value else ("no, off and false", "no")
        return f'; YAML reads {read} as {in_yaml(value)}: write "{word}"'
    if kind == "string_type" and not isinstance(value, str | list | Mapping | None):
        return "; write it in quotes"  # as in the file: YAML reads 007 as 7, and 1_0 as 10
    return ""


def in_yaml(value: object) -> str:
    """Return a value as it is written in YAML."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, date) else repr(value)
