// Counts in a grid, drawn on a canvas behind the axes of an SVG.

function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A colour between two, by the share in the way of sight: small counts stay visible.
function mixColour(from, to, share) {
  const read = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const [a, b] = [read(from), read(to)];
  return a.map((value, index) => Math.round(value + (b[index] - value) * share));
}

// `grid`: {x_start, x_step, columns, y_edges, cells: [[column, row, count]], medians}.
function heatMap(width, { grid, xLabel, yLabel, yUnit, xUnit, height = 280, medianName, xDomain }) {
  const edges = grid.y_edges.slice();
  if (edges[0] === 0) edges[0] = edges[1] / 2 ** 0.25;
  const xEnd = grid.x_start + grid.columns * grid.x_step;
  const view = frame({
    width,
    height,
    x: (range) => linearScale(xDomain ?? [grid.x_start, xEnd], range, width / 110),
    y: (range) => logScale([edges[0], edges[edges.length - 1]], range),
    xLabel,
    yLabel,
  });
  const most = Math.max(1, ...grid.cells.map((cell) => cell[2]));
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const canvas = el("canvas", { class: "heat", width: Math.round(width * ratio), height: Math.round(height * ratio), "aria-hidden": "true" });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const [low, high] = [themeColour("--heat-low"), themeColour("--heat-high")];
  const counts = new Map();
  for (const [column, row, count] of grid.cells) {
    const share = Math.log(1 + count) / Math.log(1 + most);
    const [left, right] = [view.x.at(grid.x_start + column * grid.x_step), view.x.at(grid.x_start + (column + 1) * grid.x_step)];
    const [top, bottom] = [view.y.at(edges[row + 1]), view.y.at(edges[row])];
    context.fillStyle = `rgb(${mixColour(low, high, 0.12 + 0.88 * share).join(" ")})`;
    const from = Math.max(left, view.room.left);
    context.fillRect(from, top, Math.max(1, Math.min(right, width - view.room.right) - from), Math.max(1, bottom - top));
    counts.set(column * 1000 + row, count);
  }
  if (grid.medians) {
    const x = grid.medians.map((_, column) => grid.x_start + (column + 0.5) * grid.x_step);
    const medianAt = (value) => view.y.at(Math.max(value, edges[0]));
    view.plot.append(svg("path", { class: "line median", d: linePath(x, grid.medians, view.x.at, medianAt) }));
    grid.medians.forEach((value, column) => {
      if (value !== null) view.plot.append(svg("circle", { class: "point median", cx: view.x.at(x[column]), cy: medianAt(value), r: 2.5 }));
    });
  }
  view.node.addEventListener("pointermove", (event) => {
    const box = view.node.getBoundingClientRect();
    const x = view.x.back(event.clientX - box.left);
    const y = view.y.back(event.clientY - box.top);
    const column = Math.floor((x - grid.x_start) / grid.x_step);
    const row = edges.findLastIndex((edge) => edge <= y);
    const count = counts.get(column * 1000 + row);
    if (count === undefined) return tip.hide();
    const from = grid.x_start + column * grid.x_step;
    tip.show(event, [`${formatNumber(from)} to ${formatNumber(from + grid.x_step)} ${xUnit}`, `${formatNumber(edges[row])} to ${formatNumber(edges[row + 1])} ${yUnit}: ${formatNumber(count)}`, ...(grid.medians && medianName ? [`${medianName}: ${formatWithUnit(grid.medians[column], yUnit)}`] : [])]);
  });
  view.node.addEventListener("pointerleave", tip.hide);
  return [el("div", { class: "layers" }, canvas, view.node)];
}

function heatTable(grid, xName, yName) {
  return {
    columns: [`${xName} from`, `${xName} to`, `${yName} from`, `${yName} to`, "count"],
    rows: grid.cells.map(([column, row, count]) => [
      grid.x_start + column * grid.x_step, grid.x_start + (column + 1) * grid.x_step, grid.y_edges[row], grid.y_edges[row + 1], count]),
  };
}
