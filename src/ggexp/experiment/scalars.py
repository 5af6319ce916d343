"""Numbers, true, false and null that a configuration holds as text.

The lists and mappings of Snakemake's ``--config`` hold nothing but text, and YAML takes 1e-5 for
text. Where only a number can stand, the text of one is that number.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

_WORDS = {"true": True, "false": False, "null": None}


def read_scalars(config: Mapping[str, Any], validator: Draft202012Validator) -> dict[str, Any]:
    """Return the configuration with each text replaced that its schema refuses, but not its value.

    validator: of the schema. Text that spells no value that the schema allows is left as it is.
    """
    read = deepcopy(dict(config))
    for error in [*validator.iter_errors(read)]:
        value = _value(error)
        if value is not error.instance:
            *above, last = error.absolute_path
            holder: Any = read
            for part in above:
                holder = holder[part]
            holder[last] = value
    return read


def _value(error: ValidationError) -> Any:
    """Return what the refused text stands for, or else what was refused itself."""
    text = error.instance
    if not isinstance(text, str) or error.validator not in ("type", "pattern"):
        return text
    types = error.schema.get("type", [])  # a name that is refused has none
    allowed = {types} if isinstance(types, str) else {*types}
    if text in _WORDS and {"boolean", "null"} & allowed:
        return _WORDS[text]
    if {"number", "integer"} & allowed:
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text
