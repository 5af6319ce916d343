"""A survey of 1,000 records and eight columns, in the formats in which people have surveys."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

RECORDS = 1_000
#: Column -> its codes with their labels, in the questionnaire's order. Nobody gave the last answer
#: of education. Some labels are not in alphabetical order, and one contains a comma.
LABELS: dict[str, dict[int | str, str]] = {
    "region": {1: "North", 2: "East", 3: "South", 4: "West"},
    "sex": {"F": "Female", "M": "Male", "X": "Other"},
    "education": {1: "Low", 2: "Medium", 3: "High", 4: "Very high", 5: "Other"},
    "diagnosis": {1: "none", 2: "asthma", 3: "diabetes, type 2", 4: "hypertension"},
}
#: The code that stands for some of the missing ages in the SPSS file, where it is declared.
MISSING_AGE = -99
#: The files, by their formats. CSV and Excel files have neither codes nor unused labels, and Stata
#: has labels of numbers only.
FILES = {
    "CSV": "survey.csv",
    "SPSS": "survey.sav",
    "Stata": "survey.dta",
    "Excel": "survey.xlsx",
    "Parquet": "survey.parquet",
}


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Write a table in the format that the ending of its name says, and return its path."""
    writers = {
        ".csv": partial(pd.DataFrame.to_csv, index=False),
        ".parquet": pd.DataFrame.to_parquet,
        ".xlsx": partial(pd.DataFrame.to_excel, index=False),
        ".sav": pyreadstat.write_sav,
        ".dta": pyreadstat.write_dta,
        ".xpt": pyreadstat.write_xport,
    }
    writers[path.suffix](frame, path)
    return path


def survey() -> pd.DataFrame:
    """Return the records: labels (categories), numbers and dates, 2 to 4 % of them missing."""
    rng = np.random.default_rng(33)
    shares = {
        "region": [0.4, 0.1, 0.3, 0.2],
        "sex": [0.52, 0.46, 0.02],
        "education": [0.35, 0.4, 0.2, 0.05, 0],
        "diagnosis": [0.7, 0.1, 0.08, 0.12],
    }
    columns = {}
    for name, codes in LABELS.items():
        labels = [*codes.values()]
        answers = pd.Categorical(rng.choice(labels, RECORDS, p=shares[name]), labels)
        columns[name] = pd.Series(answers)
    columns |= {
        "age": pd.Series(rng.integers(18, 94, RECORDS), dtype="Int64"),
        "income": pd.Series(rng.lognormal(7.7, 0.6, RECORDS).round(2)),
        "interviewed": pd.Series(
            pd.Timestamp("2024-02-26") + pd.to_timedelta(rng.integers(0, 60, RECORDS), "D")
        ),
    }
    for column in columns.values():
        column[rng.random(RECORDS) < rng.uniform(0.02, 0.04)] = None
    return pd.DataFrame(columns | {"weight": rng.lognormal(0, 0.3, RECORDS).round(3)})


def write_survey(folder: Path) -> pd.DataFrame:
    records = survey()
    for name in ("CSV", "Parquet", "Excel"):
        write(records, folder / FILES[name])
    numbered = [name for name in LABELS if name != "sex"]
    coded = records.astype({"age": float})
    for name, codes in LABELS.items():
        answers = records[name].map({label: code for code, label in codes.items()})
        coded[name] = answers.astype(float if name in numbered else object)
    dates = records["interviewed"].dt.date.astype(object)
    coded["interviewed"] = dates.where(records["interviewed"].notna(), None)
    is_coded = coded["age"].isna() & (coded.index % 2 == 1)
    pyreadstat.write_sav(
        coded.assign(age=coded["age"].mask(is_coded, MISSING_AGE)),
        folder / FILES["SPSS"],
        variable_value_labels=LABELS,
        missing_ranges={"age": [MISSING_AGE]},
    )
    pyreadstat.write_dta(
        coded.assign(sex=records["sex"].astype(object)),
        folder / FILES["Stata"],
        variable_value_labels={name: LABELS[name] for name in numbered},
    )
    return records
