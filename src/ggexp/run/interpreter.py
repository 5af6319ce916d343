"""The Python that starts jobs: a path without blanks, because Snakemake does not quote it."""

import os
import re
import sys
from hashlib import sha256
from pathlib import Path


def path_without_blanks() -> str:
    """Return a path of this Python without blanks.

    It is a link to the folder of the environment, in the user's cache. The link remains there,
    because the jobs of a cluster use it too.
    Raises ValueError if the path of the cache has a blank, OSError if the link cannot be made.
    """
    if not re.search(r"\s", sys.executable):
        return sys.executable
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ggexp")
    link = cache / sha256(sys.prefix.encode()).hexdigest()[:12]
    if re.search(r"\s", str(link)):
        raise ValueError(
            f"the path of Python, {sys.executable}, has a blank, which Snakemake does not support, "
            f"and so has {link}, a link to it. Make the environment in a folder whose path has no "
            "blank, or set XDG_CACHE_HOME to such a folder."
        )
    cache.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(sys.prefix)
    return str(link / Path(sys.executable).relative_to(sys.prefix))
