"""The table of the supplementary figures, as `ggexp.figures.catalog`."""

from functools import partial

from ggexp.figures.catalog import figure

_figure = partial(figure, package=__package__)
_FIRST = _figure(
    "tabulate_first_version.tabulate", "draw_first_version.draw", reads=("number", "seed")
)
_CURVES = _figure("tabulate_loss_curves.tabulate", "draw_loss_curves.draw", reads=("number",))
#: The figures that ``make guarantees`` draws, by number.
NUMBERED = {
    "f1": _FIRST._replace(about="truncated noise"),
    "f2": _FIRST._replace(about="unbounded noise"),
    "f3": _FIRST._replace(about="boundary-inflated noise"),
    "s1": _CURVES._replace(about="exact δ of each mechanism"),
    "s2": _figure(
        "tabulate_above_best.tabulate",
        "draw_loss_curves.draw",
        about="noise relative to the smallest possible",
    ),
    "s4": _CURVES._replace(about="scales relative to the smallest"),
    "s5": _figure(
        "tabulate_queries.many_queries", "draw_queries.draw", reads=("seed",), about="many queries"
    ),
    "s6": _figure(
        "tabulate_advantage.tabulate",
        "draw_advantage.draw",
        optional=("adult",),
        about="guessing advantage",
    ),
    "s7": _figure(
        "tabulate_loss_curves.tabulate",
        "draw_trade_off.draw",
        reads=("number",),
        about="trade-off curves",
    ),
    "s8": _figure(
        "tabulate_queries.boundary", "draw_queries.draw", about="histogram or noise on each query"
    ),
}
