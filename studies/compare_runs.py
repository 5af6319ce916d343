"""Compare the tables of two finished runs byte by byte, for example before and after a change.

    python studies/compare_runs.py ../before/results results

Compares all CSV and Parquet files below the two folders, except recorded times. Results of other
designs in subfolders are included. Prints each table that differs, with the changed columns and the
largest difference of each numeric column, and each table that only one run has. Exits with 1 if
there are differences.
"""

import sys
from collections import Counter
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

TIME_FOLDERS = {"benchmarks", "logs"}  # recorded times, which differ between runs


def tables(results: Path) -> dict[str, Path]:
    """Return a mapping from relative path to full path for all tables of a run."""
    paths = [*results.rglob("*.csv"), *results.rglob("*.parquet")]
    by_name = {str(path.relative_to(results)): path for path in sorted(paths)}
    return {
        name: path for name, path in by_name.items() if not TIME_FOLDERS & set(Path(name).parts)
    }


def read(path: Path) -> pd.DataFrame:
    """Return a table of a run."""
    if path.suffix == ".csv":
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    return pd.read_parquet(path)


def difference(before: Path, after: Path) -> str:
    """Return a description of the differences between two tables."""
    old, new = read(before), read(after)
    if list(old.columns) != list(new.columns) or len(old) != len(new):
        return f"{len(old)} rows of {list(old)}, now {len(new)} rows of {list(new)}"
    changed = []
    for name in old:
        if old[name].equals(new[name]):
            continue
        if is_numeric_dtype(old[name]) and is_numeric_dtype(new[name]):
            changes = (new[name] - old[name]).abs()
            changed.append(f"{name}: {(changes != 0).sum()} rows, by at most {changes.max():.3g}")
        else:
            is_different = old[name].astype(str) != new[name].astype(str)
            changed.append(f"{name}: {is_different.sum()} rows")
    return "; ".join(changed) or "the same values in other bytes"


def main() -> None:
    """Compare the two folders named on the command line."""
    before, after = (tables(Path(folder)) for folder in sys.argv[1:])
    states: Counter[str] = Counter()
    for name in sorted(before | after):
        if name not in after or name not in before:
            state = "gone" if name in before else "new"
            print(f"{name}: {state}")
        elif before[name].read_bytes() == after[name].read_bytes():
            state = "same"
        else:
            state = "different"
            print(f"{name}: {difference(before[name], after[name])}")
        states[state] += 1
    print(", ".join(f"{number} {state}" for state, number in sorted(states.items())))
    sys.exit(set(states) != {"same"})


if __name__ == "__main__":
    main()
