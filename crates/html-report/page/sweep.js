// The page of a sweep: one point for each configuration.

const LOADS = ["concurrency", "rate", "request_rate", "users", "user_centric_rate"];

// The parameter on the x axis, and one series for each combination of the others.
function sweepAxis(head) {
  const names = head.parameters.map((parameter) => parameter.name);
  const numeric = (name) => head.cells.every((cell) => typeof cell.values[name] === "number");
  const main = names.find((name) => LOADS.includes(name) && numeric(name)) ?? names.find(numeric) ?? null;
  const others = names.filter((name) => name !== main);
  const groups = new Map();
  head.cells.forEach((cell, index) => {
    const key = others.map((name) => `${name} ${cell.values[name]}`).join(", ");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push({ cell, x: main ? cell.values[main] : index + 1 });
  });
  for (const points of groups.values()) points.sort((a, b) => a.x - b.x);
  const xs = [...groups.values()].flat().map((point) => point.x);
  const log = main !== null && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) >= 8;
  // Loads that were tested are the ticks, if they are few.
  const tested = [...new Set(xs)].sort((a, b) => a - b);
  return { main, others, groups, log, ticks: tested.length <= 12 ? tested : undefined, label: main ? main.replaceAll("_", " ") + (log ? ", logarithmic" : "") : "Configuration, in order" };
}

function figureOf(cell, key) {
  const figure = cell.figures[key];
  return figure ? { mean: figure[0], low: figure[1], high: figure[2] } : null;
}

const SERIES = ["c1", "c2", "c3", "c4", "c5", "wait", "cut"];

// The mean of a figure and its interval, for a table.
function figureCells(cell, { key, factor = 1 }) {
  const figure = figureOf(cell, key);
  return figure ? [figure.mean, figure.low, figure.high].map((value) => (value === null ? null : value * factor)) : [null, null, null];
}

// Lines of one or several figures against the main parameter. With several groups a colour is a group, and a dash is a figure.
function loadLines(axis, keys) {
  const lines = [];
  const single = axis.groups.size === 1;
  for (const [index, [group, points]] of [...axis.groups].entries()) {
    for (const [place, { key, name, unit, kind, mark, factor = 1 }] of keys.entries()) {
      const there = points.filter((point) => figureOf(point.cell, key));
      if (there.length === 0) continue;
      const value = (side) => there.map((point) => {
        const figure = figureOf(point.cell, key)[side];
        return figure === null ? null : figure * factor;
      });
      lines.push({ name: [group, name].filter(Boolean).join(" "), unit, kind: kind ?? (single ? undefined : [undefined, "dashed", "dotted"][place]), x: there.map((point) => point.x), y: value("mean"), low: value("low"), high: value("high"), mark: single ? mark ?? SERIES[place % SERIES.length] : SERIES[index % SERIES.length], points: true, cells: there.map((point) => point.cell) });
    }
  }
  return lines;
}

function againstLoad(axis, { id, title, about, keys, yLabel, rule, wide, yLog, listen }) {
  const lines = loadLines(axis, keys);
  if (lines.length === 0) return null;
  const self = chart({
    id,
    title,
    about,
    wide,
    legend: lines.map((line) => ({ name: line.name, mark: line.mark, kind: line.kind ?? "line" })),
    draw: (width) => lineChart(width, { series: lines, xLabel: axis.label, yLabel, xLog: axis.log, xTicks: axis.ticks, fromZero: true, yLog: yLog?.(lines), xName: axis.main ?? "Configuration", xUnit: "", rules: [rule?.()].filter(Boolean), height: 270 }),
    table: () => ({ columns: ["configuration", ...keys.flatMap((key) => [key.name, "interval low", "interval high"])], rows: [...axis.groups.values()].flat().map((point) => [point.cell.label, ...keys.flatMap((key) => figureCells(point.cell, key))]) }),
  });
  listen?.push(() => self.redraw());
  return self;
}

// Points that no other point beats in both figures.
function paretoFront(points) {
  return points.filter((point) => !points.some((other) => other !== point && other.x >= point.x && other.y >= point.y && (other.x > point.x || other.y > point.y)));
}

// Gives each point a label on the side where it covers no other; without room on any side the pointer shows it.
function labelPlacer(width) {
  const taken = [];
  return (x, y, text) => {
    const length = text.length * 6.2;
    const places = [[x + 8, y - 7, "start"], [x - 8, y - 7, "end"], [x + 8, y + 15, "start"], [x - 8, y + 15, "end"]];
    for (const [left, base, anchor] of places) {
      const box = { from: anchor === "start" ? left : left - length, to: anchor === "start" ? left + length : left, top: base - 11, bottom: base + 3 };
      const free = box.from > 60 && box.to < width && !taken.some((one) => one.from < box.to && box.from < one.to && one.top < box.bottom && box.top < one.bottom);
      if (!free) continue;
      taken.push(box);
      return svg("text", { class: "rule-name", x: left, y: base, "text-anchor": anchor, text });
    }
    return "";
  };
}

function paretoChart(head) {
  const perGpu = head.cells.every((cell) => cell.figures.output_token_throughput_per_gpu);
  const key = perGpu ? "output_token_throughput_per_gpu" : "output_token_throughput";
  const points = head.cells.flatMap((cell) => {
    const [x, y] = [figureOf(cell, "output_token_throughput_per_user"), figureOf(cell, key)];
    return x && y ? [{ cell, x: x.mean, y: y.mean, xs: x, ys: y }] : [];
  });
  if (points.length === 0) return null;
  const front = paretoFront(points).sort((a, b) => a.x - b.x);
  const yName = perGpu ? "Output tokens/s per GPU" : "Output tokens/s, all GPUs";
  return chart({
    id: "S2",
    title: "Speed for one user against throughput",
    about: `Mean output tokens/s per user and ${perGpu ? "per GPU" : "in total (the number of GPUs is not known)"}, whole run. Up and to the right is better. The line joins the configurations that no other beats in both. Ellipses are 95 % intervals.`,
    wide: true,
    legend: [{ name: "Not beaten by another (Pareto front)", mark: "c2" }, { name: "Beaten", mark: "c1", kind: "dot" }],
    draw: (width) => {
      const sides = (point, side) => [point[side].low ?? point[side].mean, point[side].high ?? point[side].mean];
      const clamp = ([low, high]) => [Math.max(0, low), high];
      // A difference of some percent must not look like a large one.
      const wideEnough = ([low, high]) => [Math.min(low, high * 0.8), high * 1.02];
      const view = frame({
        width,
        height: 340,
        x: (range) => linearScale(wideEnough(clamp(extent(points.map((point) => sides(point, "xs"))))), [range[0] + 20, range[1] - 90], width / 110),
        y: (range) => linearScale([0, extent(points.map((point) => sides(point, "ys")))[1] * 1.08], range, 6),
        xLabel: "Output tokens/s per user, mean over requests",
        yLabel: `${yName}, whole run`,
      });
      view.plot.append(svg("path", { class: "line c2", d: linePath(front.map((point) => point.x), front.map((point) => point.y), view.x.at, view.y.at) }));
      const label = labelPlacer(width);
      for (const point of points) {
        const [xl, xh] = sides(point, "xs");
        const [yl, yh] = sides(point, "ys");
        const [rx, ry] = [Math.abs(view.x.at(xh) - view.x.at(xl)) / 2, Math.abs(view.y.at(yh) - view.y.at(yl)) / 2];
        if (rx > 1 || ry > 1) view.plot.append(svg("ellipse", { class: "band c1", cx: view.x.at((xl + xh) / 2), cy: view.y.at((yl + yh) / 2), rx, ry }));
        const dot = svg("circle", { class: `point ${front.includes(point) ? "c2" : "c1"}`, cx: view.x.at(point.x), cy: view.y.at(point.y), r: 4.5 });
        dot.addEventListener("pointermove", (event) => tip.show(event, [point.cell.label, `${formatNumber(point.x)} tokens/s per user`, `${formatNumber(point.y)} ${yName}`]));
        dot.addEventListener("pointerleave", tip.hide);
        view.plot.append(dot, label(view.x.at(point.x), view.y.at(point.y), point.cell.label));
      }
      return [view.node];
    },
    table: () => ({ columns: ["configuration", "tokens/s per user", "low", "high", yName, "low", "high", "on the front"], rows: points.map((point) => [point.cell.label, point.xs.mean, point.xs.low, point.xs.high, point.ys.mean, point.ys.low, point.ys.high, front.includes(point) ? "yes" : "no"]) }),
  });
}

// The point that lies farthest above the line from the first to the last point of throughput against load.
function knee(points) {
  if (points.length < 3) return null;
  const [first, last] = [points[0], points[points.length - 1]];
  const distance = (point) => {
    const share = (point.x - first.x) / (last.x - first.x || 1);
    return (point.y - (first.y + share * (last.y - first.y))) / (Math.abs(last.y) || 1);
  };
  const best = points.reduce((far, point) => (distance(point) > distance(far) ? point : far), first);
  return distance(best) > 0.05 ? best : null;
}

function statusChart(head) {
  const cells = head.cells;
  const series = [["Succeeded", "succeeded", "c3"], ["Failed", "failed", "bad"], ["Cut off", "cut_off", "cut"]].map(([name, key, mark]) => ({ name, mark, counts: cells.map((cell) => cell.counts[key]) }));
  return chart({
    id: "S7",
    title: "How requests ended",
    about: "Requests of all runs of each configuration, in the order of the sweep.",
    legend: series.map((one) => ({ name: one.name, mark: one.mark, kind: "area" })),
    draw: (width) => stackedBars(width, { series, x: cells.map((_, index) => index + 0.5), step: 1, xLabel: "Configuration, in order", yLabel: "Requests, all runs", xDomain: [0.5, cells.length + 0.5], names: cells.map((cell) => cell.label) }),
    table: () => ({ columns: ["configuration", "runs", "failed runs", "succeeded", "failed", "cut off", "warnings"], rows: cells.map((cell) => [cell.label, cell.runs, cell.failed_runs, cell.counts.succeeded, cell.counts.failed, cell.counts.cut_off, cell.warnings.join(" ")]) }),
  });
}

// Two swept parameters as a grid, coloured by one figure.
function gridChart(head) {
  if (head.parameters.length !== 2) return null;
  const [first, second] = head.parameters;
  const figures = [["output_token_throughput", "Output tokens/s"], ["request_throughput", "Requests/s"], ["time_to_first_token_p99", "TTFT p99 (ms)"], ["inter_token_latency_p99", "ITL p99 (ms)"], ["goodput", "Goodput (req/s)"]].filter(([key]) => head.cells.some((cell) => cell.figures[key]));
  if (figures.length === 0) return null;
  let [key, name] = figures[0];
  const choose = el("select", { "aria-label": "Figure", onchange: () => {
    [key, name] = figures[choose.selectedIndex];
    self.redraw();
  } }, ...figures.map(([, text]) => el("option", { text })));
  const self = chart({
    id: "S10",
    title: `${second.name} against ${first.name}`,
    about: "One field for each configuration, with the mean of its runs. A stronger colour is a larger value.",
    wide: true,
    draw: (width) => {
      const rows = second.values.map((down) => first.values.map((right) => head.cells.find((cell) => cell.values[first.name] === right && cell.values[second.name] === down)));
      const values = head.cells.map((cell) => figureOf(cell, key)?.mean).filter((value) => value !== undefined);
      const [low, high] = extent([values]);
      const [from, to] = [themeColour("--heat-low"), themeColour("--heat-high")];
      const field = (cell) => {
        const value = cell ? figureOf(cell, key)?.mean : undefined;
        if (value === undefined) return el("td", { text: "–" });
        const share = high > low ? (value - low) / (high - low) : 0.5;
        const td = el("td", { class: share > 0.55 ? "field strong" : "field", text: formatNumber(value) });
        td.style.backgroundColor = `rgb(${mixColour(from, to, share).join(" ")})`;
        return td;
      };
      return [el("div", { class: "tools" }, choose), el("div", { class: "table-box" }, el("table", { class: "grid-table" },
        el("caption", { text: `${name}; columns: ${first.name}, rows: ${second.name}` }),
        el("thead", {}, el("tr", {}, el("th", { text: "" }), ...first.values.map((value) => el("th", { scope: "col", text: String(value) })))),
        el("tbody", {}, ...rows.map((row, index) => el("tr", {}, el("th", { scope: "row", text: String(second.values[index]) }), ...row.map(field))))))];
    },
    table: () => ({ columns: [first.name, second.name, ...figures.map(([, text]) => text)], rows: head.cells.map((cell) => [cell.values[first.name], cell.values[second.name], ...figures.map(([one]) => figureOf(cell, one)?.mean ?? null)]) }),
  });
  return self;
}
