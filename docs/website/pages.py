"""The pages of the site: those of the repository, where they stand, and some that are made here.

Made are the library's, the notebook's, and the list of the configuration's keys.

As a page has the same path in both, a link leads to the same place in both.
"""

import re
from inspect import ismodule
from pathlib import Path

import file_list
import key_list
import notebook_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import ggexp

ROOT = Path(__file__).parents[2]
#: Pages, what they show, and the files that they link to.
PATTERNS = (
    *("*.md", "[a-z]*/README.md", "docs/*.*", "docs/gallery/*", "tests/data/README.md"),
    *("docs/website/*.css", "docs/website/*.js"),
    *("config/schema.yaml", "src/ggexp/run/files.yaml"),
    *("CITATION.cff", "LICENSE", "profiles/slurm/config.yaml", "tests/cluster/slurm.sh"),
)
NOTEBOOK = "docs/notebook.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the theme's files, those of the repository, and those made here."""
    theirs = [file for file in files if file.src_dir != config.docs_dir]
    ours = [
        File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path))
        for pattern in PATTERNS
        for path in sorted(ROOT.glob(pattern))
    ]
    notebook, pictures = notebook_page.page()
    made = {
        **library_pages(),
        NOTEBOOK: notebook,
        **{f"docs/{name}": picture for name, picture in pictures.items()},
        "config/keys.md": key_list.page(),
    }
    generated = [File.generated(config, path, content=content) for path, content in made.items()]
    return Files([*theirs, *ours, *generated])


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Return a page whose names of the library are links, such as `ggexp.best_order`.

    The changelog names what may be gone. Links to the notebook lead to its page.
    """
    path = page.file.src_uri
    if path == "CHANGELOG.md":
        return markdown
    if path == "results/README.md":
        markdown += f"\n{file_list.listing()}"
    if path != NOTEBOOK:
        markdown = markdown.replace("notebook.ipynb)", "notebook.md)")
    return re.sub(r"(?<!\[)`(ggexp\.(\w+)[.\w]*)`", link, markdown)


def link(name: re.Match[str]) -> str:
    """Return a link to where a name is described; modules have short names too."""
    short = getattr(ggexp, name[2], None)
    described = name[1]
    if ismodule(short):
        described = described.replace(f"ggexp.{name[2]}", short.__name__, 1)
    return f"[`{name[1]}`][{described}]"


def library_pages() -> dict[str, str]:
    """Return path -> page: what `import ggexp` offers, and each room; found after prose."""
    package = ROOT / "src/ggexp"
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    modules = {path.stem for path in package.glob("[a-z]*.py")}
    offered = f"members: [{', '.join(ggexp.__all__)}], summary: {{modules: true}}"
    shown = {room: f"ggexp.{room}\n" for room in sorted(rooms | modules)}
    shown["index"] = f"ggexp\n    options: {{show_submodules: false, {offered}}}\n"
    return {
        f"library/{page}.md": f"---\nsearch: {{boost: 0.3}}\n---\n::: {text}"
        for page, text in shown.items()
    }
