"""The table of the supplementary figures, as `ggexp.figures.catalog`."""

from functools import partial

from ggexp.figures.catalog import figure

_figure = partial(figure, package=__package__)
#: The figures that ``make guarantees`` draws, by number.
NUMBERED = {
    "f1": _figure("first_version.truncated_densities", about="truncated noise"),
    "f2": _figure("first_version.densities", about="unbounded noise"),
    "f3": _figure("first_version.histograms", reads=("seed",), about="boundary-inflated noise"),
    "s1": _figure("loss_curves.loss_curves", about="exact δ of each mechanism"),
    "s2": _figure(
        "above_best.tabulate",
        "loss_curves.above_best",
        about="noise relative to the smallest possible",
    ),
    "s4": _figure("loss_curves.looseness", about="scales relative to the smallest"),
    "s5": _figure("queries.many_queries", reads=("seed",), about="many queries"),
    "s6": _figure(
        "advantage.tabulate", "advantage.draw", optional=("adult",), about="guessing advantage"
    ),
    "s7": _figure("loss_curves.trade_off", "trade_off.draw", about="trade-off curves"),
    "s8": _figure("queries.boundary", about="histogram or noise on each query"),
}
