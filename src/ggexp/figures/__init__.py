"""The figures: modules tabulate_… return the numbers of each kind, modules draw_… draw them.

A function that draws takes the table of the function that tabulates (`ggexp.figures.catalog`), and
the name of the data set, if there is one, for the title, which states a finding
(`ggexp.figures.findings`). Points are means over the repeats, with bars of ± one standard
deviation, unless a docstring describes them. ``ggexp/run/files.yaml`` describes the columns.
"""
