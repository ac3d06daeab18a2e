// Elements without markup in strings: names of models, runs and servers never become HTML.

/** A new element. `facts` are properties, or attributes if their name has a dash or starts with "aria"; strings become text. */
export function make(tag, facts = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** A table of texts. */
export function table(headings, rows) {
  const cells = (tag, texts) => make("tr", {}, ...texts.map((text) => make(tag, {}, text)));
  return make("div", { className: "scroll" },
    make("table", {}, make("thead", {}, cells("th", headings)), make("tbody", {}, ...rows.map((row) => cells("td", row)))));
}

/** A list to choose from; `options` are [value, text] or { heading, options }. */
export function choices(options, chosen, facts = {}) {
  const entry = ([value, text]) => make("option", { value, selected: value === chosen }, text);
  return make("select", facts, ...options.map((option) => Array.isArray(option)
    ? entry(option)
    : make("optgroup", { label: option.heading }, ...option.options.map(entry))));
}

/** Shows a dialog with this content; Escape and a click beside it close it. */
export function open(dialog, ...content) {
  dialog.replaceChildren(...content);
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  if (!dialog.open) dialog.showModal();
}

export function button(text, onclick, facts = {}) {
  return make("button", { type: "button", onclick, ...facts }, text);
}
