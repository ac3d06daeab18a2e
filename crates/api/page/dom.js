// Elements without markup in strings: text from servers and models never becomes HTML.

/** A new element with a class and children; strings become text. */
export function make(tag, name = "", ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const child of children) element.append(child);
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Writes a text only if it differs, so that a selection survives. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function width(element, share) {
  element.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
}

/** Keeps the rows of a table in step with a list: cells are strings, or elements, or [class, text]. */
export function fill(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, at) => {
    const row = body.rows[at] ?? body.insertRow();
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((cell, column) => {
      const place = row.cells[column] ?? row.insertCell();
      if (cell instanceof Node) { if (place.firstChild !== cell) place.replaceChildren(cell); return; }
      const [name, text] = Array.isArray(cell) ? cell : ["", cell];
      if (place.className !== name) place.className = name;
      say(place, text);
    });
  });
}

/** A table with these headings. Those in `texts` stand left; a narrow screen shows those in `narrow` only. */
export function table(headings, texts = [], narrow = headings) {
  const body = make("tbody");
  const name = (heading) => [texts.includes(heading) ? "text" : "", narrow.includes(heading) ? "" : "wide"].join(" ").trim();
  const head = make("tr", "", ...headings.map((heading) => make("th", name(heading), heading)));
  const scroll = make("div", "scroll", make("table", "", make("thead", "", head), body));
  return { scroll, body };
}
