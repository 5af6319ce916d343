"""Compare the verdicts of runs with different seeds, for docs/reproduction.md.

    python studies/seeds.py

Reads the verdicts of the runs in results/seeds/, which differ in the seed (`make seeds`), and the
verdicts that reference/claims.yaml expects for the configured seed, with which `make verify`
compares a run. Writes all verdicts to results/seeds/verdicts.csv, and prints the claims with more
than one verdict. The seed determines the noise of each repeat, the draws for Figure 2, and the
split of Adult into training and test records.
"""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import read_claims
from ggexp.run.columns import read_csv

FOLDER = Path("results/seeds")
CONFIGURED = "20260101"


def main() -> None:
    """Write the table of verdicts and print a summary."""
    claims = read_claims(Path("reference/claims.yaml"))
    verdicts = {CONFIGURED: pd.Series({claim["id"]: claim["expected"] for claim in claims})}
    for path in sorted(FOLDER.glob("*/claims.csv")):
        verdicts[path.parent.name] = read_csv(path).set_index("id")["verdict"]
    table = pd.DataFrame(verdicts, index=verdicts[CONFIGURED].index)
    table = table.dropna(subset=table.columns[1:], how="all")  # claims about other designs
    table.to_csv(FOLDER / "verdicts.csv", index_label="id")
    for seed in table.columns[1:]:
        tested = table[seed].notna().sum()
        print(f"seed {seed}: {tested} of {len(table)} claims", end="")
        baseline = FOLDER / seed / "baseline.csv"
        if baseline.exists():
            accuracy = read_csv(baseline).set_index("model")["accuracy"]["original"]
            summary = read_csv(FOLDER / seed / "summary.csv")
            means = summary.loc[summary["metric"] == "accuracy", "mean"]
            smallest, largest = 100 * (accuracy - means.max()), 100 * (accuracy - means.min())
            print(f", accuracy without noise {accuracy:.2%}", end="")
            print(f", sanitizing costs {smallest:.2f} to {largest:.2f} points", end="")
        print()
    several = table[[len(set(row.dropna())) > 1 for _, row in table.iterrows()]]
    print(f"the same verdict wherever tried: {len(table) - len(several)} of {len(table)}")
    print(f"others:\n{several.fillna('-').to_string() if len(several) else 'none'}")


if __name__ == "__main__":
    main()
