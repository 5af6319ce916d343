"""The pages of the site: files of the repository, and pages that are generated here.

Generated pages are those of the library and the notebook. Pages have the same paths on the site and
in the repository, therefore links work in both.
"""

import re
from inspect import ismodule
from pathlib import Path

import file_list
import notebook_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import ggexp

ROOT = Path(__file__).parents[2]
#: Patterns of pages, their figures, and files that they link to.
PATTERNS = (
    *("*.md", "[a-z]*/README.md", "docs/*.*", "docs/gallery/*", "tests/data/README.md"),
    *("docs/companions/*", "docs/website/*.css", "docs/website/*.js"),
    *("config/keys.md", "src/ggexp/run/files.yaml"),
    *("CITATION.cff", "LICENSE", "profiles/slurm/config.yaml", "tests/cluster/*.sh"),
)
NOTEBOOK = "docs/notebook.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the theme, of the repository, and generated here."""
    theme_files = [file for file in files if file.src_dir != config.docs_dir]
    repository_files = [
        File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path))
        for pattern in PATTERNS
        for path in sorted(ROOT.glob(pattern))
    ]
    notebook, pictures = notebook_page.page()
    contents = {
        **library_pages(),
        NOTEBOOK: notebook,
        **{f"docs/{name}": picture for name, picture in pictures.items()},
    }
    generated = [
        File.generated(config, path, content=content) for path, content in contents.items()
    ]
    return Files([*theme_files, *repository_files, *generated])


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Return a page with links for names of the library, such as `ggexp.best_order`.

    The changelog gets no links, because it mentions names that no longer exist. Links to the
    notebook are changed to its page.
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
    """Return a link to the documentation of a name; modules also have short names."""
    exported = getattr(ggexp, name[2], None)
    target = name[1]
    if ismodule(exported):
        target = target.replace(f"ggexp.{name[2]}", exported.__name__, 1)
    return f"[`{name[1]}`][{target}]"


def library_pages() -> dict[str, str]:
    """Return a mapping from path to page: the exports of ggexp, and each subpackage and module.

    The search ranks these pages below the others.
    """
    package = ROOT / "src/ggexp"
    subpackages = {path.parent.name for path in package.glob("*/__init__.py")}
    modules = {path.stem for path in package.glob("[a-z]*.py")}
    exports_options = f"members: [{', '.join(ggexp.__all__)}], summary: {{modules: true}}"
    directives = {name: f"ggexp.{name}\n" for name in sorted(subpackages | modules)}
    directives["index"] = f"ggexp\n    options: {{show_submodules: false, {exports_options}}}\n"
    return {
        f"library/{page}.md": f"---\nsearch: {{boost: 0.3}}\n---\n::: {text}"
        for page, text in directives.items()
    }
