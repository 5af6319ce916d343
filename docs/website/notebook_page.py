"""The notebook as a page: its text, its code, and its saved output."""

import base64
import json
import re
from pathlib import Path

NOTEBOOK = Path(__file__).parents[1] / "notebook.ipynb"
DOWNLOAD = "[Download this notebook](notebook.ipynb), to run and change it."


def page() -> tuple[str, dict[str, bytes]]:
    """Return the page in Markdown, and a mapping from file name to picture."""
    parts, pictures = [], {}
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            formats = output["data"]
            if "image/png" in formats:
                name = f"notebook_{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode(formats["image/png"])
                parts.append(f"![Figure drawn by this cell]({name})")
            else:
                parts.append(table("".join(formats["text/html"])))
    title, *rest = "\n\n".join(parts).split("\n\n", 1)
    return "\n\n".join([title, DOWNLOAD, *rest]), pictures


def table(html: str) -> str:
    """Return a table of pandas, or of a statement, without its style."""
    (found,) = re.findall(r"<table.*</table>", html, re.DOTALL)
    return re.sub(r"<table[^>]*>", "<table>", found)
