// What is behind a point: the run, its parameters, numbers and configuration.

import { button, byId, make, open, table } from "./dom.js";
import { read } from "./server.js";
import { say } from "./state.js";

/** Shows one run. */
export async function showRun(id) {
  let run;
  try {
    run = await read(`/api/run?run=${encodeURIComponent(id)}`);
  } catch (error) {
    return say(error.message, true);
  }
  const dialog = byId("details");
  const parts = [make("h2", {}, run.name), make("p", { className: "soft path" }, run.folder)];
  if (run.problem) parts.push(make("p", { className: "bad" }, run.problem));
  else {
    if (run.runs > 1) parts.push(make("p", {}, `These are statistics over ${run.runs} runs.`));
    parts.push(table(["Parameter", "Value"], run.parameters));
    parts.push(make("details", {}, make("summary", {}, "Metrics"),
      table(["Metric", "Unit", ...run.statistics], run.metrics.map((metric) => [metric.name, metric.unit, ...metric.values]))));
    if (run.config) parts.push(make("details", { open: true }, make("summary", {}, "Configuration of the run"), make("pre", {}, run.config)));
  }
  const ends = make("div", { className: "ends" }, button("Close", () => dialog.close()));
  if (run.has_requests && !run.problem) {
    const link = make("a", { className: "button", href: `/?run=${encodeURIComponent(run.id)}`, target: "_blank", rel: "noopener", id: "single-run" }, "Show the requests of this run");
    ends.prepend(link);
  }
  open(dialog, ...parts, ends);
}

/** Shows the run behind a point, or the list of runs if there are several. */
export function showPoint(point) {
  if (point.runs.length === 1) return showRun(point.runs[0]);
  const dialog = byId("details");
  const entries = point.runs.map((id, at) => make("li", {}, button(`Run ${at + 1}`, () => showRun(id), { className: "link" })));
  open(dialog, make("h2", {}, point.title), make("ul", {}, ...entries), make("div", { className: "ends" }, button("Close", () => dialog.close())));
}
