// Elements. Every string becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = String(value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children ?? []) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

function el(name, attributes, ...children) {
  return put(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return put(document.createElementNS(SVG, name), attributes, children);
}

// A table from names of columns and rows of values. Numbers are aligned to the right, and so is the name of a column of numbers.
function table(columns, rows, caption) {
  const cell = (value) =>
    typeof value === "number" ? el("td", { class: "number", text: formatNumber(value) }) : el("td", { text: value ?? "–" });
  const isNumeric = (at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number");
  return el("table", {},
    caption ? el("caption", { text: caption }) : null,
    el("thead", {}, el("tr", {}, ...columns.map((name, at) => el("th", { scope: "col", class: isNumeric(at) && "number", text: name })))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell)))));
}

// The first nodes of a list, and the others behind a line that opens them.
function folded(nodes, most, words) {
  if (nodes.length <= most + 1) return nodes;
  const rest = nodes.slice(most);
  return [...nodes.slice(0, most), el("details", { class: "more" }, el("summary", { text: `${rest.length} ${words}` }), ...rest)];
}

// Questions of readers, each with the charts that answer it. Charts that a page does not have are left out.
function questions(entries, sections) {
  const ids = new Set(sections.map((section) => section.id));
  const rows = entries.map(([text, ...answers]) => [text, answers.filter((id) => ids.has(id.toLowerCase()))]).filter(([, answers]) => answers.length > 0);
  return el("nav", { class: "questions", "aria-label": "Questions and the charts that answer them" },
    ...rows.map(([text, answers]) => el("span", {}, text, " ", ...answers.flatMap((id, index) => [index ? " " : "", el("a", { href: `#${id.toLowerCase()}`, text: id })]))));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

const tip = {
  show(event, lines) {
    const box = document.getElementById("tip");
    box.replaceChildren(...lines.map((line, index) => el("div", { class: index === 0 ? "tip-head" : "", text: line })));
    box.hidden = false;
    const width = box.offsetWidth;
    const left = Math.max(8, Math.min(event.clientX + 14, window.innerWidth - width - 8));
    const above = event.clientY + 18 + box.offsetHeight > window.innerHeight;
    box.style.left = `${left}px`;
    box.style.top = `${above ? event.clientY - box.offsetHeight - 12 : event.clientY + 18}px`;
  },
  hide() {
    document.getElementById("tip").hidden = true;
  },
};
