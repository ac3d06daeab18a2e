// One chart in the grid with its buttons.

import { button, byId, make, open, table } from "./dom.js";
import { exportName } from "./exports.js";
import { Picture } from "./picture.js";
import { keep, send } from "./server.js";
import { chartRequest, say, state } from "./state.js";

/** A chart of the grid; `actions` are what its buttons do to the board. */
export class Tile {
  constructor(name, actions) {
    this.name = name;
    const place = make("div", { className: "picture" });
    const tool = (text, label, act) => button(text, act, { title: label, "aria-label": `${label}: ${this.title()}` });
    this.whole = tool("Whole chart", "Show the whole chart", () => this.picture.show(null));
    this.whole.hidden = true;
    this.size = tool("↔", "One or two columns", () => actions.resize(name));
    const tools = make("div", { className: "tools", role: "toolbar" },
      make("span", { className: "handle", title: "Drag to another place", draggable: true }, "⋮⋮"),
      make("span", { className: "gap" }),
      this.whole,
      tool("←", "Move before the chart before it", () => actions.move(name, -1)),
      tool("→", "Move after the chart after it", () => actions.move(name, 1)),
      this.size,
      tool("≡", "Show the points as a table", () => this.points()),
      tool("↓", "Save this chart as a file", () => this.save()),
      tool("✎", "Change this chart", () => actions.edit(name)),
      tool("✕", "Hide this chart", () => actions.hide(name)));
    this.element = make("article", { className: "tile", "data-name": name }, tools, place);
    this.picture = new Picture(place, () => this.request(), {
      height: () => Math.max(340, Math.min(560, place.clientWidth * (state.wide.has(name) ? 0.42 : 0.78))),
      onPoint: actions.point,
      onView: (view) => { this.whole.hidden = !view; },
    });
    this.grabs(tools.querySelector(".handle"), actions);
    this.element.addEventListener("contextmenu", (event) => this.menu(event, actions));
  }

  title() {
    return state.plots[this.name]?.title ?? this.name;
  }

  request(more = {}) {
    return chartRequest(this.name, state.plots[this.name], more);
  }

  /** What an export shows: the part and the series that the page shows. */
  exported() {
    return this.request({ view: this.picture.view, hidden: [...this.picture.hidden] });
  }

  draw() {
    this.element.classList.toggle("wide", state.wide.has(this.name));
    return this.picture.draw();
  }

  grabs(handle, actions) {
    handle.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/plain", this.name);
      event.dataTransfer.setDragImage(this.element, 20, 20);
    });
    this.element.addEventListener("dragover", (event) => { event.preventDefault(); this.element.classList.add("target"); });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("target"));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.element.classList.remove("target");
      actions.put(event.dataTransfer.getData("text/plain"), this.name);
    });
  }

  menu(event, actions) {
    event.preventDefault();
    document.querySelector(".menu")?.remove();
    const entry = (text, act) => button(text, () => { menu.remove(); act(); }, { role: "menuitem" });
    const menu = make("div", { className: "menu", role: "menu" },
      entry("Change", () => actions.edit(this.name)),
      entry("Hide", () => actions.hide(this.name)),
      entry("Remove", () => actions.remove(this.name)),
      entry("Save as a file", () => this.save()));
    document.body.append(menu);
    menu.style.left = `${Math.min(event.clientX, window.innerWidth - menu.offsetWidth - 8)}px`;
    menu.style.top = `${Math.min(event.clientY, window.innerHeight - menu.offsetHeight - 8)}px`;
    menu.firstChild.focus();
    const close = (other) => { if (!menu.contains(other.target) || other.key === "Escape") { menu.remove(); stop.abort(); } };
    const stop = new AbortController();
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, (other) => { if (kind === "pointerdown" || other.key === "Escape") close(other); }, { signal: stop.signal });
    }
  }

  async save() {
    const format = byId("export-format").value;
    const [width, height] = byId("export-size").value.split("x").map(Number);
    try {
      await keep("/api/export", { format, charts: [this.exported()], width, height }, exportName(this.name, format));
    } catch (error) {
      say(error.message, true);
    }
  }

  async points() {
    try {
      const found = await (await send("/api/points", this.request())).json();
      const count = found.all > found.rows.length ? `the first ${found.rows.length} of ${found.all} points; CSV has all` : `${found.all} points`;
      open(byId("table"), make("h2", {}, this.title()), make("p", { className: "soft" }, count), table(found.columns, found.rows),
        make("div", { className: "ends" }, button("Close", () => byId("table").close())));
    } catch (error) {
      say(error.message, true);
    }
  }
}
