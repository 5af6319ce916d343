"""The table of the supplementary figures, as `ggexp.figures.catalog`."""

from functools import partial

from ggexp.figures.catalog import SUPPLEMENT, Figure

_figure = partial(Figure, package=__package__, group=SUPPLEMENT)
#: The figures that ``make guarantees`` draws, by number.
NUMBERED = {
    "f1": _figure("noise.truncated_densities", about="truncated noise"),
    "f2": _figure("noise.densities", about="unbounded noise"),
    "f3": _figure("noise.histograms", reads=("seed",), about="boundary-inflated noise"),
    "s1": _figure("noise.loss_curves", about="exact δ of each mechanism"),
    "s2": _figure("noise.above_best", about="noise relative to the smallest possible"),
    "s4": _figure("noise.looseness", about="scales relative to the smallest"),
    "s5": _figure("queries.many_queries", reads=("seed",), about="many queries"),
    "s6": _figure("noise.guessing_advantage", optional=("adult",), about="guessing advantage"),
    "s7": _figure("noise.trade_off", about="trade-off curves"),
    "s8": _figure("queries.boundary", about="histogram or noise on each query"),
}
