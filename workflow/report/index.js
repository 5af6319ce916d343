// A link opens what it leads to.
function open_target() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target; box; box = box.parentElement) if (box.tagName == "DETAILS") box.open = true;
  target?.scrollIntoView();
}
addEventListener("hashchange", open_target);
open_target();
// A click on a heading of a long table sorts its rows, a second click in the other direction.
for (const heading of document.querySelectorAll(".scroll thead th")) {
  const body = heading.closest("table").tBodies[0];
  if (body.rows.length < 3) continue;
  const button = document.createElement("button");
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener("click", () => {
    const isUp = heading.ariaSort != "ascending", column = heading.cellIndex;
    const text = row => row.cells[column].textContent;
    const number = row => parseFloat(text(row).replaceAll(",", ""));
    const compare = (a, b) => number(a) - number(b) || text(a).localeCompare(text(b));
    for (const other of heading.parentElement.cells) other.ariaSort = null;
    heading.ariaSort = isUp ? "ascending" : "descending";
    body.append(...[...body.rows].sort((a, b) => isUp ? compare(a, b) : compare(b, a)));
  });
}
