// A chart on the page: its title, what it shows, its legend, the drawing, and the table behind it.

const charts = [];

// `draw(width)` gives the nodes of the drawing; `table()` gives the columns and rows behind it.
function chart({ id, title, about, legend, draw, table: data, note, wide, after }) {
  const plot = el("div", { class: "plot" });
  const noteNode = el("p", { class: "note", text: note ?? "", hidden: !note });
  const legendNode = el("div", { class: "legend" });
  const section = el("section", { class: wide ? "chart wide" : "chart", id: id.toLowerCase(), "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, el("a", { class: "number", href: `#${id.toLowerCase()}`, text: id }), title),
    el("p", { class: "about", text: about }),
    legendNode,
    plot,
    noteNode,
    data ? dataTable(id, title, data) : null,
    after ?? null);
  let lastWidth = 0;
  const self = {
    id,
    section,
    redraw() {
      const width = Math.floor(plot.clientWidth);
      if (width === 0) return;
      lastWidth = width;
      plot.replaceChildren(...draw(width));
      const entries = (typeof legend === "function" ? legend() : legend) ?? [];
      legendNode.replaceChildren(...entries.map(legendEntry));
      legendNode.hidden = entries.length === 0;
    },
    resized() {
      if (Math.floor(plot.clientWidth) !== lastWidth) self.redraw();
    },
    say(text) {
      noteNode.textContent = text;
      noteNode.hidden = !text;
    },
  };
  charts.push(self);
  return self;
}

function legendEntry({ name, mark, kind = "line" }) {
  return el("span", { class: "key" }, el("span", { class: `swatch ${kind} ${mark}`, "aria-hidden": "true" }), name);
}

// The numbers of a chart. The table is made when it is opened: most readers never do.
function dataTable(id, title, data) {
  const body = el("div", { class: "table-box" });
  const status = el("span", { class: "status", role: "status" });
  const copy = el("button", { type: "button", class: "small", text: "Copy as CSV", onclick: async () => {
    const { columns, rows } = data();
    status.textContent = (await copyText(csvText(columns, rows))) ? "Copied." : "The browser did not allow it.";
  } });
  const details = el("details", { class: "data" }, el("summary", { text: "Table" }), el("div", { class: "tools" }, copy, status), body);
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    const { columns, rows } = data();
    const most = 500;
    body.replaceChildren(table(columns, rows.slice(0, most), `${id} ${title}`));
    if (rows.length > most) {
      body.append(el("p", { class: "note", text: `The first ${most} of ${rows.length} rows. The CSV has all of them.` }));
    }
  });
  return details;
}

const FRAME = { left: 62, right: 16, top: 10, bottom: 42 };

// Axes with their names. `x` and `y` make a scale from a range of pixels.
function frame({ width, height, x, y, xLabel, yLabel, label, right }) {
  const room = { ...FRAME, right: right ? 58 : FRAME.right };
  const xs = x([room.left, width - room.right]);
  const ys = y([height - room.bottom, room.top]);
  const node = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label ?? `${yLabel} against ${xLabel}` });
  const grid = svg("g", { class: "grid" });
  const axis = svg("g", { class: "axis" });
  for (const tick of ys.ticks) {
    const at = ys.at(tick);
    grid.append(svg("line", { x1: room.left, x2: width - room.right, y1: at, y2: at }));
    axis.append(svg("text", { x: room.left - 8, y: at + 4, "text-anchor": "end", text: ys.format(tick) }));
  }
  let free = -Infinity;
  for (const tick of xs.ticks) {
    const at = xs.at(tick);
    const text = xs.format(tick);
    const half = text.length * 3.4;
    axis.append(svg("line", { x1: at, x2: at, y1: height - room.bottom, y2: height - room.bottom + 4 }));
    if (at - half < free || at + half > width) continue;
    free = at + half + 8;
    axis.append(svg("text", { x: at, y: height - room.bottom + 17, "text-anchor": "middle", text }));
  }
  axis.append(svg("line", { class: "base", x1: room.left, x2: width - room.right, y1: height - room.bottom, y2: height - room.bottom }));
  axis.append(svg("text", { class: "axis-name", x: (room.left + width - room.right) / 2, y: height - 6, "text-anchor": "middle", text: xLabel }));
  axis.append(svg("text", { class: "axis-name", transform: `translate(13 ${(room.top + height - room.bottom) / 2}) rotate(-90)`, "text-anchor": "middle", text: yLabel }));
  const plot = svg("g", {});
  if (right) {
    const rs = right.scale([height - room.bottom, room.top]);
    for (const tick of rs.ticks) {
      axis.append(svg("text", { x: width - room.right + 8, y: rs.at(tick) + 4, text: rs.format(tick) }));
    }
    axis.append(svg("text", { class: "axis-name", transform: `translate(${width - 8} ${(room.top + height - room.bottom) / 2}) rotate(-90)`, "text-anchor": "middle", text: right.label }));
    right.at = rs.at;
  }
  put(node, {}, [grid, axis, plot]);
  return { node, plot, x: xs, y: ys, room, width, height };
}

// A path through points; places without a value interrupt it.
function linePath(xs, ys, xAt, yAt) {
  let path = "";
  let open = false;
  for (let index = 0; index < xs.length; index += 1) {
    const value = ys[index];
    if (value === null || value === undefined || Number.isNaN(value)) {
      open = false;
      continue;
    }
    path += `${open ? "L" : "M"}${xAt(xs[index]).toFixed(1)} ${yAt(value).toFixed(1)}`;
    open = true;
  }
  return path;
}

function bandPath(xs, lows, highs, xAt, yAt) {
  const there = [];
  for (let index = 0; index < xs.length; index += 1) {
    if (lows[index] !== null && highs[index] !== null) there.push(index);
  }
  if (there.length < 2) return "";
  const up = there.map((index) => `${xAt(xs[index]).toFixed(1)} ${yAt(highs[index]).toFixed(1)}`);
  const down = there.toReversed().map((index) => `${xAt(xs[index]).toFixed(1)} ${yAt(lows[index]).toFixed(1)}`);
  return `M${up.join("L")}L${down.join("L")}Z`;
}
