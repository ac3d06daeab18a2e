// A chart from the server: the picture, what the pointer says, and which part of it is shown.

import { byId, make } from "./dom.js";
import { send } from "./server.js";

const ELEMENTS = new Set(["svg", "g", "path", "text", "title", "desc"]);
/** Units of length of a picture for each pixel of the page: letters of a chart are somewhat smaller than in a file. */
const UNITS = 1.45;
/** How near the pointer must be to a point, in pixels. */
const NEAR = 24;
/** A shorter drag is a click. */
const DRAG = 8;

/** The server draws charts from names that others chose: nothing but shapes and texts gets into the page. */
function safe(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  for (const element of [root, ...root.querySelectorAll("*")]) {
    const hasHandler = [...element.attributes].some((one) => /^on|href/i.test(one.name));
    if (!ELEMENTS.has(element.localName) || hasHandler) throw new Error("the picture has something else than shapes and texts");
  }
  return document.importNode(root, true);
}

/** Draws a chart into `place`. `ask` says what to draw; `onPoint` is called with a point that was clicked. */
export class Picture {
  constructor(place, ask, { height, onPoint, onView, onHidden }) {
    Object.assign(this, { place, ask, height, onPoint, onView, onHidden, view: null, hidden: new Set(), answer: null });
    this.band = make("div", { className: "band", hidden: true });
    this.drag = null;
    place.addEventListener("pointermove", (event) => this.move(event));
    place.addEventListener("pointerleave", () => this.leave());
    place.addEventListener("pointerdown", (event) => this.press(event));
    place.addEventListener("pointerup", (event) => this.release(event));
    place.addEventListener("dblclick", () => this.show(null));
  }

  async draw() {
    this.stop?.abort();
    const stop = this.stop = new AbortController();
    const width = this.place.clientWidth;
    const body = { ...this.ask(), width: width * UNITS, height: this.height() * UNITS, view: this.view };
    this.place.classList.add("waiting");
    try {
      this.answer = await (await send("/api/chart", body, stop.signal)).json();
      if (this.answer.reason) throw new Error(this.answer.reason);
      const svg = safe(this.answer.svg);
      svg.setAttribute("width", "100%");
      svg.removeAttribute("height");
      this.place.replaceChildren(svg, this.band);
      this.svg = svg;
      this.legend();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.answer = null;
      const request = this.ask();
      this.place.replaceChildren(make("div", { className: "reason" }, make("h3", {}, request.preset.title ?? request.name),
        make("p", {}, `This chart cannot be drawn: ${error.message}.`.replace(/\.\.$/, "."))));
    }
    this.place.classList.remove("waiting");
  }

  /** Shows a part of the axes; everything without one. */
  show(view) {
    if (!view && !this.view) return;
    this.view = view;
    this.onView?.(view);
    return this.draw();
  }

  /** Entries of the legend hide and show their series. */
  legend() {
    for (const entry of this.svg.querySelectorAll(".entry")) {
      const series = entry.dataset.series;
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("role", "button");
      const set = () => {
        const isHidden = this.hidden.has(series);
        entry.setAttribute("aria-pressed", String(!isHidden));
        entry.classList.toggle("off", isHidden);
        for (const layer of this.svg.querySelectorAll(".layer")) {
          if (layer.dataset.series === series) layer.classList.toggle("gone", isHidden);
        }
      };
      const toggle = () => {
        if (!this.hidden.delete(series)) this.hidden.add(series);
        this.svg.querySelectorAll(".entry").forEach((other) => other.dispatchEvent(new Event("series")));
        this.onHidden?.();
      };
      entry.addEventListener("series", set);
      entry.addEventListener("click", toggle);
      entry.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } });
      set();
    }
  }

  /** Place of the pointer in units of the picture. */
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale, scale];
  }

  nearest(event) {
    if (!this.answer) return null;
    const [left, top, scale] = this.at(event);
    let best = null;
    let reach = (NEAR * scale) ** 2;
    for (const point of this.answer.points) {
      const away = (point.left - left) ** 2 + (point.top - top) ** 2;
      if (away < reach) [best, reach] = [point, away];
    }
    return best;
  }

  move(event) {
    if (this.drag) return this.stretch(event);
    const point = this.nearest(event);
    this.place.classList.toggle("on-point", Boolean(point?.runs.length));
    if (!point) return this.leave();
    const tip = byId("tip");
    const lines = point.lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
    tip.replaceChildren(...(point.title ? [make("strong", {}, point.title)] : []), make("dl", {}, ...lines));
    // Above dialogs too.
    if (!tip.matches(":popover-open")) tip.showPopover();
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    const [x, y] = [box.left + point.left / scale, box.top + point.top / scale];
    const left = Math.max(6, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 6));
    const above = y - tip.offsetHeight - 12;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : y + 14}px`;
  }

  leave() {
    byId("tip").hidePopover();
  }

  press(event) {
    if (!this.answer || event.button !== 0 || event.target.closest(".entry")) return;
    const [left, top] = this.at(event);
    const [from, high, to, low] = this.answer.frame;
    if (left < from || left > to || top < high || top > low) return;
    this.drag = { from: [left, top], to: [left, top], x: event.clientX, y: event.clientY };
    this.place.setPointerCapture(event.pointerId);
  }

  stretch(event) {
    const box = this.place.getBoundingClientRect();
    const { x, y } = this.drag;
    const [wide, high] = [Math.abs(event.clientX - x), Math.abs(event.clientY - y)];
    this.leave();
    this.band.hidden = wide < DRAG && high < DRAG;
    this.band.style.left = `${Math.min(x, event.clientX) - box.left}px`;
    this.band.style.top = `${Math.min(y, event.clientY) - box.top}px`;
    this.band.style.width = `${wide}px`;
    this.band.style.height = `${high}px`;
    this.drag.to = this.at(event);
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    const wasStretched = !this.band.hidden;
    this.band.hidden = true;
    if (!wasStretched) {
      const point = this.nearest(event);
      if (point?.runs.length) this.onPoint?.(point);
      return;
    }
    const [left, top, right, bottom] = this.answer.frame;
    const value = (axis, share) => axis.is_log ? axis.from * (axis.to / axis.from) ** share : axis.from + (axis.to - axis.from) * share;
    const range = (axis, one, other, from, to) => {
      const shares = [(one - from) / (to - from), (other - from) / (to - from)].map((share) => Math.max(0, Math.min(1, share)));
      shares.sort((a, b) => a - b);
      // A flat drag means the other axis only.
      return shares[1] - shares[0] < 0.02 ? [axis.from, axis.to] : shares.map((share) => value(axis, share));
    };
    this.show({
      x: range(this.answer.x, drag.from[0], drag.to[0], left, right),
      y: range(this.answer.y, drag.from[1], drag.to[1], bottom, top),
    });
  }
}
