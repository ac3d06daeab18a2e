// R10: requests as bars in lanes. Pixels are written directly, so that a frame takes the same few milliseconds for any zoom.

function readTimeline(columns, place) {
  const count = place.bars;
  const starts = readVarints(columnBytes(columns, place.starts), count);
  for (let index = 1; index < count; index += 1) starts[index] += starts[index - 1];
  const firsts = readVarints(columnBytes(columns, place.firsts), count);
  const lengths = readVarints(columnBytes(columns, place.lengths), count);
  const outcomes = columnBytes(columns, place.outcomes);
  let longest = 0;
  let end = 0;
  for (let index = 0; index < count; index += 1) {
    starts[index] /= 1e6;
    lengths[index] /= 1e6;
    firsts[index] = firsts[index] === 0 ? NaN : (firsts[index] - 1) / 1e6;
    longest = Math.max(longest, lengths[index]);
    end = Math.max(end, starts[index] + lengths[index]);
  }
  const { lanes, laneCount } = assignLanes(starts, lengths);
  return { count, starts, firsts, lengths, outcomes, longest, end, lanes, laneCount };
}

// The lowest lane that is free when a request starts. Requests are in the order of their starts.
function assignLanes(starts, lengths) {
  const lanes = new Uint32Array(starts.length);
  const busy = new Heap((a, b) => a.end - b.end);
  const free = new Heap((a, b) => a - b);
  let laneCount = 0;
  for (let index = 0; index < starts.length; index += 1) {
    while (busy.size() > 0 && busy.first().end <= starts[index]) free.add(busy.take().lane);
    const lane = free.size() > 0 ? free.take() : laneCount++;
    lanes[index] = lane;
    busy.add({ end: starts[index] + lengths[index], lane });
  }
  return { lanes, laneCount };
}

class Heap {
  constructor(compare) {
    this.compare = compare;
    this.items = [];
  }
  size() {
    return this.items.length;
  }
  first() {
    return this.items[0];
  }
  add(item) {
    const { items, compare } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compare(items[at], items[parent]) >= 0) break;
      [items[at], items[parent]] = [items[parent], items[at]];
      at = parent;
    }
  }
  take() {
    const { items, compare } = this;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0) {
      items[0] = last;
      let at = 0;
      for (;;) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let least = at;
        if (left < items.length && compare(items[left], items[least]) < 0) least = left;
        if (right < items.length && compare(items[right], items[least]) < 0) least = right;
        if (least === at) break;
        [items[at], items[least]] = [items[least], items[at]];
        at = least;
      }
    }
    return top;
  }
}

function pixel(colour) {
  const part = (at) => parseInt(colour.slice(at, at + 2), 16);
  return ((255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}

// The first bar that can still be seen at a time: none before it reaches that far.
function firstVisible(timeline, from) {
  let [low, high] = [0, timeline.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.starts[middle] + timeline.longest < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

class TimelineView {
  constructor(timeline, seconds) {
    this.timeline = timeline;
    this.whole = [0, Math.max(seconds, timeline.end)];
    this.span = this.whole.slice();
    this.canvas = el("canvas", { class: "timeline", tabindex: 0, role: "application", "aria-label": "Request timeline. Arrow keys move, plus and minus zoom, 0 shows the whole run." });
    this.axis = el("div", { class: "timeline-axis" });
    this.listen();
  }

  nodes(width) {
    this.width = width;
    this.height = Math.max(160, Math.min(420, this.timeline.laneCount * 14));
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.paint();
    return [this.canvas, this.axis];
  }

  paint() {
    const began = performance.now();
    const { timeline, canvas, span } = this;
    const context = canvas.getContext("2d");
    const [width, height] = [canvas.width, canvas.height];
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(pixel(themeColour("--plot")));
    const colours = ["--wait", "--c1", "--bad", "--cut"].map((name) => pixel(themeColour(name)));
    const perSecond = width / (span[1] - span[0]);
    const laneHeight = height / Math.max(1, timeline.laneCount);
    const gap = laneHeight >= 4 ? Math.max(1, Math.round(laneHeight * 0.15)) : 0;
    const fill = (from, to, top, bottom, colour) => {
      const left = Math.max(0, Math.floor((from - span[0]) * perSecond));
      const right = Math.min(width, Math.max(left + 1, Math.ceil((to - span[0]) * perSecond)));
      for (let row = top; row < bottom; row += 1) pixels.fill(colour, row * width + left, row * width + right);
    };
    for (let index = firstVisible(timeline, span[0]); index < timeline.count; index += 1) {
      const start = timeline.starts[index];
      if (start > span[1]) break;
      const end = start + timeline.lengths[index];
      if (end < span[0]) continue;
      const top = Math.floor(timeline.lanes[index] * laneHeight);
      const bottom = Math.max(top + 1, Math.floor((timeline.lanes[index] + 1) * laneHeight) - gap);
      const outcome = timeline.outcomes[index];
      if (outcome > 0) {
        fill(start, end, top, bottom, colours[outcome + 1]);
        continue;
      }
      const first = timeline.firsts[index];
      if (Number.isNaN(first)) {
        fill(start, end, top, bottom, colours[1]);
      } else {
        fill(start, start + first, top, bottom, colours[0]);
        fill(start + first, end, top, bottom, colours[1]);
      }
    }
    context.putImageData(image, 0, 0);
    this.paintAxis();
    canvas.dataset.paintMs = String(performance.now() - began);
  }

  paintAxis() {
    const scale = linearScale(this.span, [0, this.width], this.width / 110);
    const node = svg("svg", { width: this.width, height: 36, viewBox: `0 0 ${this.width} 36`, "aria-hidden": "true" });
    for (const tick of scale.ticks) {
      const at = scale.at(tick);
      if (at < 12 || at > this.width - 12) continue;
      node.append(svg("g", { class: "axis" }, svg("line", { x1: at, x2: at, y1: 0, y2: 4 }), svg("text", { x: at, y: 16, "text-anchor": "middle", text: scale.format(tick) })));
    }
    node.append(svg("g", { class: "axis" }, svg("text", { class: "axis-name", x: this.width / 2, y: 32, "text-anchor": "middle", text: "Time since the start of the run (s)" })));
    this.axis.replaceChildren(node);
  }

  zoom(factor, at) {
    const [from, to] = this.span;
    const middle = at ?? (from + to) / 2;
    const length = Math.min(this.whole[1] - this.whole[0], Math.max(1e-4, (to - from) * factor));
    const share = (middle - from) / (to - from);
    this.move(middle - share * length, length);
  }

  move(from, length) {
    const start = Math.max(this.whole[0], Math.min(from, this.whole[1] - length));
    this.span = [start, start + length];
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  timeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.span[0] + ((event.clientX - box.left) / box.width) * (this.span[1] - this.span[0]);
  }

  barAt(event) {
    const { timeline } = this;
    const box = this.canvas.getBoundingClientRect();
    const lane = Math.floor(((event.clientY - box.top) / box.height) * timeline.laneCount);
    const at = this.timeAt(event);
    for (let index = firstVisible(timeline, at); index < timeline.count && timeline.starts[index] <= at; index += 1) {
      if (timeline.lanes[index] === lane && timeline.starts[index] + timeline.lengths[index] >= at) return index;
    }
    return -1;
  }

  listen() {
    const { canvas, timeline } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, from: this.span[0] };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointerleave", tip.hide);
    canvas.addEventListener("dblclick", () => this.move(this.whole[0], this.whole[1] - this.whole[0]));
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const length = this.span[1] - this.span[0];
        this.move(held.from - ((event.clientX - held.x) / this.width) * length, length);
        return;
      }
      const index = this.barAt(event);
      if (index < 0) return tip.hide();
      const outcome = ["succeeded", "failed", "was cut off or cancelled"][timeline.outcomes[index]];
      tip.show(event, [`Request sent at ${formatNumber(timeline.starts[index])} s, ${outcome}`, `First token after ${formatWithUnit(timeline.firsts[index] * 1e3, "ms")}`, `End after ${formatWithUnit(timeline.lengths[index] * 1e3, "ms")}`]);
    });
    canvas.addEventListener("keydown", (event) => {
      const length = this.span[1] - this.span[0];
      const acts = {
        ArrowLeft: () => this.move(this.span[0] - length / 10, length),
        ArrowRight: () => this.move(this.span[0] + length / 10, length),
        "+": () => this.zoom(0.7),
        "=": () => this.zoom(0.7),
        "-": () => this.zoom(1 / 0.7),
        0: () => this.move(this.whole[0], this.whole[1] - this.whole[0]),
      };
      if (!acts[event.key]) return;
      event.preventDefault();
      acts[event.key]();
    });
  }

  tools() {
    const button = (text, label, act) => el("button", { type: "button", class: "small", text, "aria-label": label, onclick: act });
    return el("div", { class: "tools" },
      button("+", "Zoom in", () => this.zoom(0.6)),
      button("−", "Zoom out", () => this.zoom(1 / 0.6)),
      button("Whole run", "Show the whole run", () => this.move(this.whole[0], this.whole[1] - this.whole[0])),
      el("span", { class: "status", text: "Wheel or + and − zoom, drag or arrow keys move." }));
  }
}
