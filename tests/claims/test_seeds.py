"""`studies/seeds.py`: which verdicts depend on the seed, from runs that are made up."""

import runpy
import shutil

import pandas as pd
from conftest import ROOT


def test_verdicts_of_several_seeds(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "reference", tmp_path / "reference")
    for seed, verdicts in {
        "1": {"pdp-tighter": "confirmed", "adult-loss": "partly"},
        "2": {"pdp-tighter": "confirmed"},  # a run without Adult
    }.items():
        folder = tmp_path / "results/seeds" / seed
        folder.mkdir(parents=True)
        pd.Series(verdicts, name="verdict").to_csv(folder / "claims.csv", index_label="id")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "studies/seeds.py"), run_name="__main__")
    printed = capsys.readouterr().out
    table = pd.read_csv(tmp_path / "results/seeds/verdicts.csv", index_col="id")
    assert list(table.columns) == ["20260101", "1", "2"]
    assert table.loc["adult-loss"].fillna("").tolist() == ["refuted", "partly", ""]
    assert len(table) == 2  # claims that no run tested are omitted
    assert "seed 2: 1 of 2 claims" in printed
    assert "the same verdict wherever tried: 1 of 2" in printed
    others = printed.partition("others:")[2]
    assert "adult-loss" in others
    assert "pdp-tighter" not in others
