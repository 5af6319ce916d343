"""Which verdicts depend on the seed: for docs/reproduction.md.

    python studies/seeds.py

Reads the verdicts of the runs in results/seeds/, each of another seed (`make seeds`), and those
that reference/claims.yaml expects of the configured one, which `make verify` holds a run against.
Writes all of them to results/seeds/verdicts.csv, and prints the claims that have more than one. The
seed draws the noise of each repeat, Figure 2, and which records of Adult are for training.
"""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import read_claims
from ggexp.run.columns import read_csv

FOLDER = Path("results/seeds")
CONFIGURED = "20260101"


def main() -> None:
    """Write and print."""
    claims = read_claims(Path("reference/claims.yaml"))
    verdicts = {CONFIGURED: pd.Series({claim["id"]: claim["expected"] for claim in claims})}
    for path in sorted(FOLDER.glob("*/claims.csv")):
        verdicts[path.parent.name] = read_csv(path).set_index("id")["verdict"]
    table = pd.DataFrame(verdicts, index=verdicts[CONFIGURED].index)
    table = table.dropna(subset=table.columns[1:], how="all")  # claims about other designs
    table.to_csv(FOLDER / "verdicts.csv", index_label="id")
    for seed in table.columns[1:]:
        tried = table[seed].notna().sum()
        print(f"seed {seed}: {tried} of {len(table)} claims", end="")
        baseline = FOLDER / seed / "baseline.csv"
        if baseline.exists():
            accuracy = read_csv(baseline).set_index("model")["accuracy"]["original"]
            summary = read_csv(FOLDER / seed / "summary.csv")
            means = summary.loc[summary["metric"] == "accuracy", "mean"]
            least, most = 100 * (accuracy - means.max()), 100 * (accuracy - means.min())
            print(f", accuracy without noise {accuracy:.2%}", end="")
            print(f", sanitizing costs {least:.2f} to {most:.2f} points", end="")
        print()
    several = table[[len(set(row.dropna())) > 1 for _, row in table.iterrows()]]
    print(f"the same verdict wherever tried: {len(table) - len(several)} of {len(table)}")
    print(f"others:\n{several.fillna('-').to_string() if len(several) else 'none'}")


if __name__ == "__main__":
    main()
