"""The display of a run, a logger plugin of Snakemake (`--logger ggexp`, as in the profiles).

Snakemake finds its plugins by the first words of their package's name.
"""

from snakemake_logger_plugin_ggexp.handler import LogHandler

__all__ = ["LogHandler"]
