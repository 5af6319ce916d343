"""Sections of a configuration as typed models, with messages about what does not fit.

A section is a `Section`, a pydantic model: its fields are the keys with their types, ranges and
defaults, and the text below a field explains the key. A message names the key, the value and the
allowed values. Text that represents a number is read as a number, because all values in lists and
mappings of Snakemake's ``--config`` are text, and because YAML reads 1e-5 as text.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

#: The names of types in messages.
TYPES = {
    "a list": list,
    "a mapping of keys to values": Mapping,
    "text": str,
    "true or false": bool,
    "a number": int | float,
    "a whole number": int,
    "null": type(None),
}
LIST, MAPPING, TEXT, FLAG, NUMBER, WHOLE, NULL = TYPES
#: The type that a value lacks, by pydantic's name of the error.
_LACKING = {"list_type": LIST, "dict_type": MAPPING, "model_type": MAPPING}
_SIGNS = {
    "greater_than": ">",
    "less_than": "<",
    "greater_than_equal": ">=",
    "less_than_equal": "<=",
}
#: The paths that Snakemake takes literally (it replaces {name} and <name>), and what they lack.
PATH = r"[^{}<>*?\x00-\x1f\x7f]+"
NOT_IN_PATHS = "{, }, <, >, *, ? and control characters"
_WORDS = {"true": True, "false": False, "null": None}
#: Other texts for a flag, in any case, as people write them in a command line.
_ANSWERS = {"true": True, "yes": True, "false": False, "no": False}


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
        """Replace each unknown key by a message, which pydantic then reports as unknown."""
        if not isinstance(value, Mapping):
            return value
        known = sorted(cls.names())

        def explained(key: str) -> str:
            hint = ""
            if key in cls.renamed:
                hint = f" (now {cls.renamed[key]})"
            elif near := get_close_matches(key, known, 1):
                hint = f" (did you mean {near[0]}?)"
            return f"{key}{hint}; allowed: {', '.join(known)}"

        return {
            explained(key) if isinstance(key, str) and key not in known else key: part
            for key, part in value.items()
        }


@dataclass(frozen=True, eq=False)
class Scalar:
    """A check of a value that is neither a list nor a mapping.

    types: names of `TYPES`. choices, pattern: the allowed texts, by default any text. allowed: what
    a value must be, in words, by default made from types or choices.
    """

    types: Sequence[str]
    choices: Iterable[str] = ()
    allowed: str = ""
    pattern: str = ".*"

    def __call__(self, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        """Return the value, read from text if it must be of another type; 1 does not become 1.0."""
        if isinstance(value, str):
            if value in self.choices:
                return value
            value = self._read(value)
        is_refused = isinstance(value, str) and not re.fullmatch(self.pattern, value, re.DOTALL)
        if is_refused or (self.choices and (isinstance(value, str) or self.types == (TEXT,))):
            raise ValueError(f"must be {self.words}, got {value!r}")
        if not any(is_a(value, name) for name in self.types):
            raise ValueError(wrong_type(value, self.types))
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"must be a finite number, got {value!r}")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            digits = math.floor(math.log10(abs(value))) + 1
            largest = f"{sys.float_info.max:.2g}"
            raise ValueError(f"must be at most {largest}, got a number of {digits} digits")
        result = handler(value)
        return value if isinstance(value, int) else result

    @property
    def words(self) -> str:
        """What a value must be."""
        choices = f"one of {', '.join(self.choices)}" if self.choices else ""
        return self.allowed or choices or " or ".join(self.types)

    def _read(self, text: str) -> Any:
        """Return the value that a text represents if its type is allowed, or the text itself."""
        if text in _WORDS and {FLAG, NULL} & {*self.types}:
            return _WORDS[text]
        if FLAG in self.types and TEXT not in self.types:
            return _ANSWERS.get(text.lower(), text)
        is_number = TEXT not in self.types and {NUMBER, WHOLE} & {*self.types}
        for number in (int, float) if is_number else ():
            try:
                return number(text)
            except ValueError:
                continue
        return text


def scalar(*types: str, choices: Iterable[str] = (), allowed: str = "") -> WrapValidator:
    """Return an annotation that checks a value with `Scalar`."""
    return WrapValidator(Scalar(types, choices, allowed))


def one_of(choices: Iterable[str]) -> WrapValidator:
    """Return an annotation for one of several texts."""
    return scalar(TEXT, choices=choices)


def matching(pattern: str, allowed: str) -> WrapValidator:
    """Return an annotation for text that matches a pattern. allowed: the pattern in words."""
    return WrapValidator(Scalar((TEXT,), allowed=allowed, pattern=pattern))


def _distinct(values: list[Any]) -> list[Any]:
    if len({*values}) < len(values):
        raise ValueError(f"must not contain a value twice, got {values!r}")
    return values


Text = Annotated[str, scalar(TEXT)]
SomeText = Annotated[Text, Field(min_length=1)]
Flag = Annotated[bool, scalar(FLAG)]
Number = Annotated[float, scalar(NUMBER)]
Whole = Annotated[int, scalar(WHOLE)]
Positive = Annotated[Whole, Field(ge=1)]
NotNegative = Annotated[Whole, Field(ge=0)]
DISTINCT = AfterValidator(_distinct)
Value = TypeVar("Value")
#: A list of different values, at least one.
Several = Annotated[list[Value], Field(min_length=1), DISTINCT]


class MisfitError(ValueError):
    """What a validator of a section raises about a place in the section, such as a key."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


def problems_of(error: ValidationError, key: str = "") -> Iterator[str]:
    """Yield a line for each mistake. key: the path of the section in the configuration."""
    for line in error.errors(include_url=False):
        value, context = line["input"], line.get("ctx", {})
        place = line["loc"] + getattr(context.get("error"), "place", ())
        if place[-1:] == ("[key]",):
            at = path(key, place[:-2])
            prefix = f"{at}: " * bool(at) + f"the name {in_yaml(value)} is not allowed"
        else:
            prefix = path(key, place)
        kind = line["type"]
        if kind in ("missing", "extra_forbidden"):
            within = path(key, place[:-1])
            word = "missing" if kind == "missing" else "unknown"
            yield f"{word} key{f' in {within}' if within else ''}: {place[-1]}"
        elif kind in _LACKING:
            yield f"{prefix}: {wrong_type(value, (_LACKING[kind],))}"
        elif kind in _SIGNS:
            (bound,) = context.values()
            limit = f"{bound:g}" if isinstance(bound, float) else bound
            yield f"{prefix}: must be {_SIGNS[kind]} {limit}, got {value!r}"
        elif kind.endswith("too_short"):
            least = context["min_length"]
            few = f"must have at least {least} values, got {value!r}"
            yield f"{prefix}: {'must not be empty' if least == 1 else few}"
        elif kind.endswith("too_long"):
            yield f"{prefix}: must have at most {context['max_length']} characters, got {value!r}"
        else:
            yield f"{prefix}: {context.get('error', line['msg'])}"


def path(key: str, place: Iterable[str | int]) -> str:
    """Return the path of a place below a key, such as a.b[0]."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return f"{key}{''.join(parts)}".removeprefix(".")


def is_a(value: object, name: str) -> bool:
    """Return whether a value has a type of `TYPES`; true and false are no numbers."""
    return isinstance(value, TYPES[name]) and (name == FLAG or not isinstance(value, bool))


def wrong_type(value: object, types: Sequence[str]) -> str:
    """Return the message about a value of a wrong type: allowed types, value, advice on YAML."""
    got, words = in_yaml(value), " or ".join(types)
    if {*types} <= {NUMBER, WHOLE}:
        is_whole = isinstance(value, float) and value.is_integer()
        return f"{got} is not {words}" + (f" to YAML; write {value:.0f}" if is_whole else "")
    text = f"must be {words}"
    if types == (LIST,) and isinstance(value, bool | int | float | str):
        return f"{text}, such as [{got}], got {got}"
    if TEXT in types and isinstance(value, bool):
        read = ("yes", "on and true as true") if value else ("no", "off and false as false")
        return f'{text}, got {got}; YAML reads {read[0]}, {read[1]}: write "{read[0]}"'
    if TEXT in types and not isinstance(value, list | Mapping):
        # the original text is unknown, because YAML reads 007 as 7, and 1_0 as 10
        return f"{text}, got {got}; write it in quotes"
    return f"{text}, got {got}"


def in_yaml(value: object) -> str:
    """Return a value as it is written in YAML."""
    names: list[tuple[object, str]] = [(True, "true"), (False, "false"), (None, "null")]
    text = str(value) if isinstance(value, date) else repr(value)
    return next((name for known, name in names if value is known), text)
