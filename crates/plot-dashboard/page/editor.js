// The dialog that makes and changes a chart, with a preview.

import { button, byId, choices, make, open } from "./dom.js";
import { Picture } from "./picture.js";
import { chartRequest, state } from "./state.js";

const TYPES = {
  pareto: "Pareto: best runs joined",
  scatter_line: "Points joined in the order of the load",
  latency_throughput_uncertainty: "Points with confidence intervals",
  scatter: "Points",
  scatter_with_percentiles: "Points with rolling percentiles",
  area: "Area",
  dual_axis: "Two metrics, two axes",
  timeslice: "Time slices with standard deviation",
  histogram: "Histogram",
  percentile_bands: "Bands of percentiles over time",
  request_timeline: "Requests over time",
  survival: "Share that takes longer",
  heat_map: "Heat map",
};
const TIMES = [["request_number", "Request number"], ["timestamp_s", "Start of the request"], ["request_end_ns", "End of the request"]];
/** Types without an x of their own. */
const WITHOUT_X = ["timeslice", "histogram", "survival"];
const STATISTIC = /^(.+)_(avg|min|max|std|p\d+(?:_\d+)?)$/;

/** A metric of a preset as { name, stat, source }. */
function parts(metric) {
  if (!metric) return { name: "" };
  if (typeof metric === "object") return { name: metric.metric, stat: metric.stat, source: metric.source };
  const isKnown = state.board.choices.metrics.some((one) => one.name === metric);
  const split = isKnown ? null : metric.match(STATISTIC);
  return split ? { name: split[1], stat: split[2] } : { name: metric };
}

/** The metric as a preset has it: short if a name says everything. */
function written({ name, stat, source }) {
  if (!name) return undefined;
  return stat || source ? { metric: name, ...(stat && { stat }), ...(source && { source }) } : name;
}

const axes = (x, y) => x && y ? "both" : x ? "x" : y ? "y" : undefined;
const has = (value, axis) => value === axis || value === "both";
const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "chart";

function freeName(name) {
  let free = name;
  for (let number = 2; free in state.plots; number++) free = `${name}_${number}`;
  return free;
}

/** Two lists: a metric and its statistic. */
class MetricField {
  constructor(label, metric, { withTimes, onChange }) {
    const known = parts(metric);
    const key = (one) => `${one.source ?? ""}|${one.name}`;
    this.all = new Map();
    const groups = new Map();
    const list = (heading, one, text) => {
      this.all.set(key(one), one);
      if (!groups.has(heading)) groups.set(heading, []);
      groups.get(heading).push([key(one), text]);
    };
    if (withTimes) for (const [name, text] of TIMES) list("Requests", { name, stats: [] }, text);
    for (const one of state.board.choices.metrics) list(one.heading, one, one.unit ? `${one.title} (${one.unit})` : one.title);
    let chosen = [...this.all].find(([, one]) => one.name === known.name && (!known.source || one.source === known.source))?.[0];
    if (!chosen && known.name) {
      chosen = key(known);
      list("From the preset", { ...known, stats: known.stat ? [known.stat] : [] }, known.name);
    }
    const options = [...groups].map(([heading, options]) => ({ heading, options }));
    this.metric = choices(chosen ? options : [["", "Choose a metric"], ...options], chosen ?? "", { onchange: () => { this.stats(); onChange(); } });
    this.stat = make("select", { onchange: onChange, "aria-label": `Statistic of ${label}` });
    this.kept = known.stat;
    this.original = { written: metric, chosen };
    this.element = make("label", { className: "field" }, make("span", {}, label), make("span", { className: "pair" }, this.metric, this.stat));
    this.stats();
  }

  stats() {
    const found = this.all.get(this.metric.value)?.stats ?? [];
    const chosen = found.includes(this.kept) ? this.kept : "avg";
    this.stat.replaceChildren(...found.map((name) => make("option", { value: name, selected: name === chosen }, name.replace("_", "."))));
    this.stat.hidden = !found.length;
    this.firstStat = this.stat.value;
  }

  value() {
    // What was not touched stays as it was written.
    if (this.metric.value === this.original.chosen && this.stat.value === this.firstStat && this.original.written) return this.original.written;
    const one = this.all.get(this.metric.value);
    return one ? written({ name: one.name, source: one.source, stat: this.stat.hidden ? undefined : this.stat.value }) : undefined;
  }
}

/** Opens the dialog for a chart, or for a new one without a name; `onDone` is called with a name and a preset. */
export function edit(name, onDone) {
  const { is_single: isSingle, choices: known } = state.board;
  const usual = isSingle
    ? { type: "scatter", x: "timestamp_s", y: "request_latency" }
    : { type: "scatter_line", x: { metric: "request_latency", stat: "avg" }, y: { metric: "request_throughput", stat: "avg" }, labels: known.parameters.slice(0, 1), groups: ["model"] };
  const preset = structuredClone(name ? state.plots[name] : usual);
  const dialog = byId("editor");
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(refresh, 250); };
  const text = (value, placeholder = "") => make("input", { type: "text", value: value ?? "", placeholder, oninput: later });
  const field = (label, ...inputs) => make("label", { className: "field" }, make("span", {}, label), ...inputs);
  const box = (label, checked) => make("input", { type: "checkbox", checked, onchange: later, "aria-label": label });

  const title = text(preset.title, "Made of the axes if empty");
  title.id = "chart-title";
  const kind = choices(known.types.map((type) => [type, TYPES[type] ?? type]), preset.type, { id: "chart-type", onchange: () => { refresh(); } });
  const x = new MetricField("x axis", preset.x, { withTimes: isSingle, onChange: later });
  const y = new MetricField("y axis", preset.y, { onChange: later });
  const y2 = new MetricField("Right axis", preset.y2, { onChange: later });
  x.metric.id = "chart-x";
  y.metric.id = "chart-y";
  const parameters = [["", "None"], ...known.parameters.map((one) => [one, one])];
  const list = (value) => (Array.isArray(value) ? value : value ? [value] : []);
  const labels = choices(parameters, list(preset.labels)[0] ?? "", { onchange: later });
  const groups = choices(parameters, list(preset.groups)[0] ?? "", { onchange: later });
  const [xLabel, yLabel] = [text(preset.x_label, "Metric, statistic and unit"), text(preset.y_label, "Metric, statistic and unit")];
  const log = [box("x axis is logarithmic", has(preset.log_scale, "x")), box("y axis is logarithmic", has(preset.log_scale, "y"))];
  const auto = [box("x axis need not begin at zero", has(preset.autoscale, "x")), box("y axis need not begin at zero", has(preset.autoscale, "y"))];
  const level = make("input", { type: "number", min: 0.5, max: 0.999, step: 0.01, value: preset.ci_level ?? 0.95, oninput: later });
  const pair = ([one, other]) => make("span", { className: "pair" }, make("span", {}, one, " x"), make("span", {}, other, " y"));
  const rows = {
    x: x.element, y2: y2.element,
    labels: field("Text next to points", labels), groups: field("Colour by", groups), level: field("Confidence level", level),
  };
  const place = make("div", { className: "picture preview" });
  const picture = new Picture(place, () => chartRequest(name ?? "preview", current()), { height: () => 300 });

  const put = (key, value) => { if (value === undefined || value === "" || value?.length === 0) delete preset[key]; else preset[key] = value; };
  const keepList = (key, value) => { if ((list(preset[key])[0] ?? "") !== value) put(key, value ? [value] : undefined); };
  function current() {
    preset.type = kind.value;
    put("title", title.value.trim());
    put("x", WITHOUT_X.includes(kind.value) ? preset.x : x.value());
    put("y", y.value());
    put("y2", kind.value === "dual_axis" ? y2.value() : undefined);
    if (!isSingle) {
      keepList("labels", labels.value);
      keepList("groups", groups.value);
      put("ci_level", kind.value === "latency_throughput_uncertainty" ? Number(level.value) : undefined);
    }
    put("x_label", xLabel.value.trim());
    put("y_label", yLabel.value.trim());
    put("log_scale", axes(log[0].checked, log[1].checked));
    put("autoscale", axes(auto[0].checked, auto[1].checked));
    return structuredClone(preset);
  }
  function refresh() {
    rows.x.hidden = WITHOUT_X.includes(kind.value);
    rows.y2.hidden = kind.value !== "dual_axis";
    rows.labels.hidden = rows.groups.hidden = isSingle;
    rows.level.hidden = kind.value !== "latency_throughput_uncertainty";
    if (dialog.open) picture.draw();
  }
  const done = (chosen) => { const preset = current(); dialog.close(); onDone(chosen, preset); };
  const create = () => done(freeName(slug(title.value || `${y.metric.selectedOptions[0]?.text ?? "chart"}`)));
  const ends = make("div", { className: "ends" },
    ...(name ? [button("Update", () => done(name), { id: "update" })] : []),
    button(name ? "Add as a new chart" : "Add", create, { id: "create" }),
    button("Cancel", () => dialog.close()));
  open(dialog, make("h2", {}, name ? "Change the chart" : "Add a chart"),
    make("div", { className: "form" },
      make("div", { className: "fields" }, field("Title", title), field("Type", kind), rows.x, y.element, rows.y2, rows.labels, rows.groups, rows.level,
        field("Label of x", xLabel), field("Label of y", yLabel),
        make("div", { className: "field" }, make("span", {}, "Logarithmic"), pair(log)),
        make("div", { className: "field" }, make("span", {}, "Need not begin at zero"), pair(auto))),
      place),
    ends);
  refresh();
}
