// Lines over a shared axis, with a cursor that mouse and arrow keys move.

// `series`: {name, unit, x, y, mark, kind: "line" | "dashed" | "area", right, low, high}.
// `shade`: a span of x that is shaded. `rules`: lines {value, text}, horizontal or `vertical`; the text of a vertical one is at the bottom, or `onTop`. `dots`: {x, y, size}.
function lineChart(width, options) {
  const { series, xLabel, yLabel, yLog, xLog, fromZero, shade, rules = [], dots = [], right, height = 260, label } = options;
  const left = series.filter((line) => !line.right);
  const onRight = series.filter((line) => line.right);
  const [xLow, xHigh] = options.xDomain ?? extent(series.map((line) => line.x));
  let [yLow, yHigh] = extent([...left.flatMap((line) => [line.y, line.low ?? [], line.high ?? []]), rules.filter((rule) => !rule.vertical).map((rule) => rule.value), dots.map((dot) => dot.y)]);
  if (fromZero && !yLog) yLow = Math.min(0, yLow);
  if (!yLog) yHigh += (yHigh - yLow) * 0.05;
  const view = frame({
    width,
    height,
    label,
    x: (range) => {
      const scale = xLog ? logScale([xLow, xHigh], range) : linearScale([xLow, xHigh], range, width / 110);
      return options.xTicks ? withTicks(scale, options.xTicks) : scale;
    },
    y: (range) => (yLog ? logScale([yLow, yHigh], range) : linearScale([yLow, yHigh], range, 5)),
    xLabel,
    yLabel,
    right: onRight.length && right ? { label: right, scale: (range) => linearScale([0, extent(onRight.map((line) => line.y))[1] * 1.05], range, 5) } : null,
  });
  const rightAt = onRight.length ? linearScale([0, extent(onRight.map((line) => line.y))[1] * 1.05], [height - view.room.bottom, view.room.top], 5).at : null;
  if (shade) {
    const [from, to] = [Math.max(shade.from, view.x.domain[0]), Math.min(shade.to, view.x.domain[1])];
    view.plot.append(svg("rect", { class: "shade", x: view.x.at(from), y: view.room.top, width: Math.max(0, view.x.at(to) - view.x.at(from)), height: height - view.room.bottom - view.room.top }, svg("title", { text: shade.name })));
  }
  for (const line of series) {
    const yAt = line.right ? rightAt : view.y.at;
    if (line.low) view.plot.append(svg("path", { class: `band ${line.mark}`, d: bandPath(line.x, line.low, line.high, view.x.at, yAt) }));
    if (line.kind === "area") {
      const base = height - view.room.bottom;
      const path = linePath(line.x, line.y, view.x.at, yAt);
      if (path) view.plot.append(svg("path", { class: `band ${line.mark}`, d: `${path}L${view.x.at(line.x[line.x.length - 1]).toFixed(1)} ${base}L${view.x.at(line.x[0]).toFixed(1)} ${base}Z` }));
    }
    view.plot.append(svg("path", { class: `line ${line.mark} ${line.kind ?? ""}`, d: linePath(line.x, line.y, view.x.at, yAt) }));
    const single = line.y.filter((value) => value !== null && !Number.isNaN(value)).length <= 1;
    if (single || line.points) {
      line.y.forEach((value, index) => {
        if (value !== null && !Number.isNaN(value)) view.plot.append(svg("circle", { class: `point ${line.mark}`, cx: view.x.at(line.x[index]), cy: yAt(value), r: 3 }));
      });
    }
  }
  for (const dot of dots) view.plot.append(svg("circle", { class: "violation", cx: view.x.at(dot.x), cy: view.y.at(dot.y), r: dot.size }));
  for (const rule of rules) {
    const vertical = rule.vertical;
    const at = vertical ? view.x.at(rule.value) : view.y.at(rule.value);
    const before = !vertical || at > width * 0.6;
    const text = svg("text", { class: "rule-name", text: rule.text, "text-anchor": before ? "end" : "start", x: vertical ? (before ? at - 5 : at + 5) : width - view.room.right - 4, y: vertical ? (rule.onTop ? view.room.top + 12 : height - view.room.bottom - 8) : at - 5 });
    view.plot.append(vertical
      ? svg("line", { class: "rule", x1: at, x2: at, y1: view.room.top, y2: height - view.room.bottom })
      : svg("line", { class: "rule", x1: view.room.left, x2: width - view.room.right, y1: at, y2: at }), text);
  }
  cursor(view, series, options);
  return [view.node];
}

// A vertical line at the nearest point, and what all series have there.
function cursor(view, series, { xName = "", xUnit = "s", describe }) {
  const grid = series.reduce((longest, line) => (line.x.length > longest.length ? line.x : longest), []);
  if (grid.length === 0) return;
  const line = svg("line", { class: "cursor", y1: view.room.top, y2: view.height - view.room.bottom, visibility: "hidden" });
  view.plot.append(line);
  let current = -1;
  const show = (index, event) => {
    current = Math.max(0, Math.min(grid.length - 1, index));
    const at = view.x.at(grid[current]);
    put(line, { x1: at, x2: at, visibility: "visible" });
    const head = `${xName} ${formatWithUnit(grid[current], xUnit)}`.trim();
    const rows = series.map((one) => {
      const place = one.x === grid ? current : nearest(one.x, grid[current]);
      return `${one.name}: ${formatWithUnit(one.y[place], one.unit ?? "")}`;
    });
    tip.show(event, [head, ...rows, ...(describe ? describe(current) : [])]);
  };
  put(view.node, { tabindex: 0 });
  view.node.addEventListener("pointermove", (event) => {
    const box = view.node.getBoundingClientRect();
    const x = view.x.back(((event.clientX - box.left) / box.width) * view.width);
    show(nearest(grid, x), event);
  });
  const hide = () => {
    line.setAttribute("visibility", "hidden");
    tip.hide();
  };
  view.node.addEventListener("pointerleave", hide);
  view.node.addEventListener("blur", hide);
  view.node.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (!step) return;
    event.preventDefault();
    const box = view.node.getBoundingClientRect();
    const index = Math.max(0, Math.min(grid.length - 1, current + step));
    show(index, { clientX: box.left + (view.x.at(grid[index]) / view.width) * box.width, clientY: box.top + 40 });
  });
}

// Place of the value of a rising list that is closest.
function nearest(list, value) {
  let [low, high] = [0, list.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle;
    else high = middle;
  }
  return Math.abs(list[low] - value) <= Math.abs(list[high] - value) ? low : high;
}
