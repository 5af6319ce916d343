"""Compare the tables of two finished runs byte by byte, for example before and after a change.

    python studies/compare_runs.py ../before/results results

Every CSV and Parquet file below either folder is compared, those of other designs in folders of
their own among them; recorded times are not. Prints each table that differs, with the columns and
the largest difference of a number, and each that only one run has. Exits with 1 if there are any.
"""

import sys
from collections import Counter
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

TIMES = {"benchmarks", "logs"}


def tables(results: Path) -> dict[str, Path]:
    """Return the tables of a run by their path below its folder."""
    found = [*results.rglob("*.csv"), *results.rglob("*.parquet")]
    named = {str(path.relative_to(results)): path for path in sorted(found)}
    return {name: path for name, path in named.items() if not TIMES & set(Path(name).parts)}


def read(path: Path) -> pd.DataFrame:
    """Return a table of a run."""
    if path.suffix == ".csv":
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    return pd.read_parquet(path)


def difference(before: Path, after: Path) -> str:
    """Return in words how two tables differ."""
    old, new = read(before), read(after)
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        return f"{len(old)} rows of {list(old)}, now {len(new)} rows of {list(new)}"
    changed = []
    for name in old:
        if old[name].equals(new[name]):
            continue
        if is_numeric_dtype(old[name]) and is_numeric_dtype(new[name]):
            moved = (new[name] - old[name]).abs()
            changed.append(f"{name}: {(moved != 0).sum()} rows, by at most {moved.max():.3g}")
        else:
            unlike = old[name].astype(str) != new[name].astype(str)
            changed.append(f"{name}: {unlike.sum()} rows")
    return "; ".join(changed) or "the same values in other bytes"


def main() -> None:
    """Compare the two folders that the command line names."""
    before, after = (tables(Path(folder)) for folder in sys.argv[1:])
    found: Counter[str] = Counter()
    for name in sorted(before | after):
        if name not in after or name not in before:
            state = "gone" if name in before else "new"
            print(f"{name}: {state}")
        elif before[name].read_bytes() == after[name].read_bytes():
            state = "same"
        else:
            state = "different"
            print(f"{name}: {difference(before[name], after[name])}")
        found[state] += 1
    print(", ".join(f"{number} {state}" for state, number in sorted(found.items())))
    sys.exit(set(found) != {"same"})


if __name__ == "__main__":
    main()
