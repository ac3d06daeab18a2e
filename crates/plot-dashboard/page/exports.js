// Files of charts.

import { byId } from "./dom.js";
import { keep } from "./server.js";
import { say } from "./state.js";

function now() {
  const two = (number) => String(number).padStart(2, "0");
  const date = new Date();
  return `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}_${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}

export function exportName(chart, format) {
  return `${chart}.${format}`;
}

/** Saves all charts that are shown. */
export async function exportCharts(tiles) {
  const format = byId("export-format").value;
  const size = byId("export-size").value;
  const [width, height] = size.split("x").map(Number);
  const charts = tiles.map((tile) => tile.exported());
  const picture = format === "png" || format === "svg" ? `_${size}` : "";
  const end = format === "html" ? "html" : charts.length === 1 ? format : "zip";
  try {
    await keep("/api/export", { format, charts, width, height }, `aiperf_dashboard_${format}${picture}_${now()}.${end}`);
  } catch (error) {
    say(error.message, true);
  }
}
