// Line charts over time and a histogram, drawn on a canvas. All charts share one pointer: the time under it is marked in each.

import { make, say } from "./dom.js";
import { duration, number } from "./format.js";

const MARGIN = { left: 46, right: 10, top: 8, bottom: 20 };
/** Seconds that the axis has at least, if the phase is not shorter. */
const SHORTEST_SPAN = 30;
const charts = new Set();
let pointedAt = null;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A canvas whose pixels match the screen's, cleared; null while it is not visible. */
export function prepare(canvas) {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0 || height === 0) return null;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** The smallest round number that is at least this. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value * 0.9999);
}

/** A number of an axis, without zeros at its end. */
function short(value) {
  return Number(value.toPrecision(3)).toLocaleString("en");
}

/** A canvas wants fewer points than it has pixels: of each group the highest is kept, so that spikes stay visible. */
function thin(points, most) {
  if (points.length <= most) return points;
  const group = Math.ceil(points.length / most);
  const kept = [];
  for (let at = 0; at < points.length; at += group) {
    kept.push(points.slice(at, at + group).reduce((top, point) => (point[1] === null || (top[1] !== null && top[1] >= point[1]) ? top : point)));
  }
  return kept;
}

export function stroke(pen, points, place, style, fillTo = null) {
  let open = false;
  pen.beginPath();
  let first = null;
  let last = null;
  for (const point of points) {
    if (point[1] === null || point[1] === undefined) { open = false; continue; }
    const [x, y] = place(point);
    if (open) pen.lineTo(x, y); else pen.moveTo(x, y);
    open = true;
    first ??= x;
    last = x;
  }
  pen.strokeStyle = style.line;
  pen.lineWidth = style.width ?? 1.75;
  pen.lineJoin = "round";
  pen.stroke();
  if (fillTo !== null && first !== null) {
    pen.lineTo(last, fillTo);
    pen.lineTo(first, fillTo);
    pen.closePath();
    pen.fillStyle = style.wash;
    pen.fill();
  }
}

/** One or two lines over the seconds of a phase. `lines`: [{ name, colour, of: point => value }]. */
export class TimeChart {
  constructor(title, unit, lines) {
    this.unit = unit;
    this.lines = lines;
    this.points = [];
    this.canvas = make("canvas");
    this.canvas.setAttribute("role", "img");
    this.title = title;
    this.key = make("div", "key");
    this.values = lines.map((line) => {
      const value = make("span");
      this.key.append(make("i", line.colour), line.name ? `${line.name} ` : "", value);
      return value;
    });
    this.element = make("div", "card chart", make("div", "head", make("h2", "", title), this.key), this.canvas);
    this.canvas.addEventListener("pointermove", (event) => point(this, event));
    this.canvas.addEventListener("pointerleave", () => point(null));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    charts.add(this);
  }

  /** `planned`: seconds that the phase will take, if that is known. The axis grows with the phase: a long run fills it from the start. */
  show(points, planned) {
    this.points = points;
    this.span = Math.max(points.length > 0 ? points[points.length - 1].at : 0, Math.min(planned ?? SHORTEST_SPAN, SHORTEST_SPAN), 5);
    this.draw();
  }

  scale(width) {
    return (at) => MARGIN.left + (at / this.span) * (width - MARGIN.left - MARGIN.right);
  }

  draw() {
    const drawing = prepare(this.canvas);
    if (!drawing || this.span === undefined) return;
    const { pen, width, height } = drawing;
    const across = this.scale(width);
    const bottom = height - MARGIN.bottom;
    const all = this.lines.map((line) => this.points.map((point) => [point.at, line.of(point) ?? null]));
    const top = roundUp(Math.max(0, ...all.flat().map((point) => point[1] ?? 0)));
    const up = (value) => bottom - (value / top) * (bottom - MARGIN.top);
    this.grid(pen, width, bottom, top, across, up);
    this.lines.forEach((line, at) => {
      const style = { line: colour(line.colour), wash: colour(`${line.colour}-wash`) || "transparent" };
      const place = ([x, y]) => [across(x), up(y)];
      stroke(pen, thin(all[at], width), place, style, this.lines.length === 1 ? bottom : null);
    });
    const marked = this.marked();
    if (marked && pointedAt !== null) {
      pen.fillStyle = colour("faint");
      pen.fillRect(across(marked.at) - 0.5, MARGIN.top, 1, bottom - MARGIN.top);
    }
    const values = this.lines.map((line) => (marked ? line.of(marked) : null));
    values.forEach((value, at) => say(this.values[at], typeof value === "number" && value < 100 ? short(value) : number(value ?? null)));
    const told = this.lines.map((line, at) => `${line.name || this.title} ${number(values[at] ?? null)} ${this.unit}`).join(", ");
    this.canvas.setAttribute("aria-label", `${this.title} over time. ${pointedAt === null ? "Now" : `At ${duration(marked?.at)}`}: ${told}`);
  }

  grid(pen, width, bottom, top, across, up) {
    pen.font = "11px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.strokeStyle = colour("grid");
    pen.fillStyle = colour("faint");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const share of [0, 0.5, 1]) {
      const y = Math.round(up(top * share)) + 0.5;
      pen.beginPath();
      pen.moveTo(MARGIN.left, y);
      pen.lineTo(width - MARGIN.right, y);
      pen.stroke();
      pen.fillText(short(top * share), MARGIN.left - 7, y);
    }
    pen.textBaseline = "top";
    const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200].find((step) => this.span / step <= 6) ?? 86400;
    for (let at = 0; at <= this.span; at += step) {
      pen.textAlign = at === 0 ? "left" : across(at) > width - 30 ? "right" : "center";
      pen.fillText(at === 0 ? "0" : duration(at), at === 0 ? MARGIN.left : across(at), bottom + 6);
    }
  }

  /** The point under the pointer, or the last one. */
  marked() {
    if (pointedAt === null) return this.points[this.points.length - 1];
    return this.points.reduce((best, point) => (best && Math.abs(best.at - pointedAt) <= Math.abs(point.at - pointedAt) ? best : point), null);
  }
}

function point(chart, event) {
  if (chart === null) pointedAt = null;
  else {
    const { left, width } = chart.canvas.getBoundingClientRect();
    const share = (event.clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    pointedAt = Math.max(0, Math.min(1, share)) * chart.span;
  }
  for (const other of charts) other.draw();
}

/** Bars of how many requests took how long; the edges grow by a constant factor, so the axis is logarithmic. */
export class Histogram {
  constructor(title, kinds) {
    this.kinds = kinds;
    this.chosen = kinds[0];
    this.canvas = make("canvas");
    this.canvas.setAttribute("role", "img");
    this.title = title;
    this.key = make("div", "key");
    for (const kind of kinds) this.key.append(make("i", kind.colour), kind.name);
    this.element = make("div", "card chart", make("div", "head", make("h2", "", title), this.key), this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    charts.add(this);
  }

  show(histogram) {
    this.histogram = histogram;
    this.draw();
  }

  draw() {
    const drawing = prepare(this.canvas);
    if (!drawing || !this.histogram) return;
    const { pen, width, height } = drawing;
    const bottom = height - MARGIN.bottom;
    const lists = this.kinds.map((kind) => ({ kind, bins: (kind.of(this.histogram) ?? []).filter((bin) => bin.count > 0) }));
    const all = lists.flatMap((list) => list.bins);
    if (all.length === 0) return;
    const low = Math.max(Math.min(...all.map((bin) => bin.from_ms)), 0.01) * 0.9;
    const high = Math.max(...all.map((bin) => bin.to_ms)) * 1.1;
    const left = 14;
    const across = (ms) => left + (Math.log(Math.max(ms, low) / low) / Math.log(high / low)) * (width - left - MARGIN.right);
    for (const { kind, bins } of lists) {
      const most = Math.max(...bins.map((bin) => bin.count));
      pen.fillStyle = colour(kind.colour);
      pen.globalAlpha = 0.8;
      for (const bin of bins) {
        // Whole pixels: bars that share one would be darker there.
        const from = Math.round(across(bin.from_ms));
        const wide = Math.round(across(bin.to_ms)) - from;
        const tall = Math.max((bin.count / most) * (bottom - MARGIN.top), 1);
        pen.fillRect(from, bottom - tall, Math.max(wide > 4 ? wide - 1 : wide, 1), tall);
      }
      pen.globalAlpha = 1;
    }
    this.axis(pen, low, high, across, bottom, width);
    this.canvas.setAttribute("aria-label", `${this.title}: from ${number(low)} to ${number(high)} milliseconds`);
  }

  axis(pen, low, high, across, bottom, width) {
    pen.fillStyle = colour("grid");
    pen.fillRect(14, bottom, width - 14 - MARGIN.right, 1);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = colour("faint");
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const steps = high / low > 200 ? [1] : high / low > 20 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    let free = 0;
    for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
      for (const step of steps) {
        const ms = power * step;
        const text = ms >= 1000 ? `${short(ms / 1000)} s` : `${short(ms)} ms`;
        const x = across(ms);
        const half = pen.measureText(text).width / 2;
        if (ms < low || ms > high || x - half < free || x + half > width) continue;
        pen.fillText(text, x, bottom + 6);
        free = x + half + 10;
      }
    }
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const chart of charts) chart.draw(); });
