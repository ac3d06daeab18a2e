// R2 to R12 and R15: the charts of what the client measured.

function sliceMiddles(head) {
  const { seconds, step, slices } = head.time;
  return Array.from({ length: slices }, (_, index) => (index * step + Math.min(seconds, (index + 1) * step)) / 2);
}

function steadyShade(head) {
  const { steady } = head.verdict;
  return steady.reached ? { from: steady.start, to: steady.end, name: "Steady part of the run" } : null;
}

const TIME = "Time since the start of the run (s)";

function loadChart(head) {
  const { load, time } = head;
  const x = sliceMiddles(head);
  const series = [
    { name: "Finished", y: load.finished, mark: "c3" },
    load.failed.some((rate) => rate > 0) ? { name: "Failed", y: load.failed, mark: "bad" } : null,
    { name: "Sent", y: load.sent, mark: "c1" },
    // On top: it usually lies on what was sent.
    load.planned ? { name: "Planned", y: load.planned, mark: "c2", kind: "dashed" } : null,
  ].filter(Boolean).map((line) => ({ ...line, x, unit: "req/s" }));
  const inFlight = { name: "In flight", x, y: load.in_flight, mark: "c5", kind: "area", right: true, unit: "requests" };
  const all = [inFlight, ...series];
  return chart({
    id: "R2",
    title: "Load over time",
    wide: true,
    about: `Requests per second in slices of ${formatNumber(time.step)} s: planned by due time, sent by start, finished and failed by end. In flight: mean over each slice (right axis), at most ${formatNumber(load.most_in_flight)} at once.`,
    legend: [...all.map((line) => ({ name: line.name, mark: line.mark, kind: line.kind ?? "line" })), ...(steadyShade(head) ? [{ name: "Steady part", mark: "steady", kind: "area" }] : [])],
    draw: (width) => lineChart(width, { series: all, xLabel: TIME, yLabel: `Requests/s, ${formatNumber(time.step)} s slices`, right: "Requests in flight, mean", fromZero: true, shade: steadyShade(head), xDomain: [0, time.seconds] }),
    table: () => ({ columns: ["slice start (s)", ...all.map((line) => `${line.name} (${line.unit})`)], rows: x.map((_, index) => [index * time.step, ...all.map((line) => line.y[index])]) }),
  });
}

// R3 and R4: percentiles of each slice, with the limit and what is beyond it.
function sliceChart(head, slos, id, tag, name) {
  const metric = slos.metric(tag);
  if (!metric) return null;
  const { time } = head;
  const x = sliceMiddles(head);
  const qs = [0.5, 0.9, 0.99];
  const lines = metric.percentiles ?? slicePercentiles(metric.values, slos.bounds, qs);
  const series = ["p50", "p90", "p99"].map((label, index) => ({ name: label, x, y: lines[index], mark: ["c1", "c3", "c2"][index], unit: metric.unit }));
  const counts = slos.sliceRequests;
  const self = chart({
    id,
    title: `${name} over time`,
    about: `p50, p90 and p99 of ${name} over the requests sent in each slice of ${formatNumber(time.step)} s. Dots are requests beyond the limit; larger dots are more requests.`,
    legend: () => [...series.map((line) => ({ name: line.name, mark: line.mark })), ...(metric.limit === null ? [] : [{ name: "Limit", mark: "rule", kind: "dashed" }, { name: "Beyond the limit", mark: "bad", kind: "dot" }]), ...(steadyShade(head) ? [{ name: "Steady part", mark: "steady", kind: "area" }] : [])],
    draw: (width) => {
      const dots = slos.violations(tag, x);
      const rules = metric.limit === null ? [] : [{ value: metric.limit, text: `Limit ${formatWithUnit(metric.limit, metric.unit)}` }];
      const [low, high] = extent([lines[0], lines[2], dots.map((dot) => dot.y), rules.map((rule) => rule.value)]);
      return lineChart(width, { series, xLabel: TIME, yLabel: `${name} (${metric.unit}), ${formatNumber(time.step)} s slices`, yLog: low > 0 && high / low > 20, fromZero: true, shade: steadyShade(head), rules, dots, xDomain: [0, time.seconds], describe: (slice) => [`Requests: ${formatNumber(counts[slice])}`] });
    },
    table: () => ({ columns: ["slice start (s)", "requests", ...series.map((line) => `${line.name} (${metric.unit})`), "good requests (share)"], rows: x.map((_, index) => [index * time.step, counts[index], ...series.map((line) => line.y[index]), slos.limits().length ? slos.shareBySlice()[index] : null]) }),
  });
  slos.listeners.push(() => self.redraw());
  return self;
}

function survivalChart(head, slos) {
  const marks = { time_to_first_token: "c1", request_latency: "c3", time_to_first_token_from_due: "c2", request_latency_from_due: "c4" };
  const curves = head.survival.map((curve) => ({
    ...curve,
    mark: marks[curve.tag],
    kind: curve.tag.endsWith("_from_due") ? "dashed" : "line",
    x: curve.points.map((point) => point[1]),
    y: curve.points.map((point) => point[0]),
    low: curve.points.map((point) => point[2]),
    high: curve.points.map((point) => point[3]),
  }));
  if (curves.length === 0) return null;
  const ruleOf = (curve) => {
    const metric = slos.metric(curve.tag);
    if (!metric || metric.limit === null) return null;
    let above = 0;
    for (const value of metric.values) if (value > metric.limit) above += 1;
    return { value: metric.limit, vertical: true, text: `${curve.label}: ${formatPercent(above / Math.max(1, metric.values.length))} above ${formatWithUnit(metric.limit, metric.unit)}` };
  };
  const self = chart({
    id: "R5",
    title: "The tail: how many requests took longer",
    about: "Share of successful requests of the whole run that took longer than x, both axes logarithmic. Bands are 95 % intervals of the percentile; where there is none, there are too few requests. “From due” counts from when the schedule wanted a request sent, the others from when the client began on it.",
    wide: true,
    legend: curves.map((curve) => ({ name: curve.label, mark: curve.mark, kind: curve.kind })),
    draw: (width) => survivalDrawing(width, curves, curves.map(ruleOf).filter(Boolean)),
    table: () => ({ columns: ["metric", "share that took longer", "value (ms)", "interval low", "interval high"], rows: curves.flatMap((curve) => curve.points.map((point) => [curve.label, ...point])) }),
  });
  slos.listeners.push(() => self.redraw());
  return self;
}

function firstTokenChart(head) {
  const data = head.first_token;
  if (!data) return null;
  const marks = ["cut", "c4", "c5", "c2", "c1", "c3"];
  const used = data.parts.map((_, place) => data.bars.some((bar) => bar.parts[place] !== null));
  return chart({
    id: "R6",
    wide: true,
    title: "Where time to first token goes",
    about: `Mean of each part over the requests next to the p50, p90 and p99 of TTFT (${data.bars.map((bar) => bar.requests).join(", ")} requests). The wait in the client comes before TTFT starts and is not part of it.`,
    legend: data.parts.map((name, place) => ({ name, mark: marks[place], kind: "area" })).filter((_, place) => used[place]),
    draw: (width) => lyingBars(width, { rows: data.bars.map((bar) => ({ name: bar.name, parts: bar.parts })), names: data.parts, marks, unit: "ms", xLabel: "Time (ms), mean over requests at this percentile", yLabel: "Percentile of TTFT" }),
    note: data.parts.length < 6 ? "The records have no HTTP stages, so only the response headers divide the time. --export-http-trace records them." : used[3] ? "" : "The server did not report queue times of single requests; they are in the server time.",
    table: () => ({ columns: ["percentile of TTFT", "requests", "TTFT (ms)", ...data.parts.map((part) => `${part} (ms)`)], rows: data.bars.map((bar) => [bar.name, bar.requests, bar.ttft, ...bar.parts]) }),
  });
}

function densityChart(id, grid, words) {
  if (!grid) return null;
  return chart({
    id,
    title: words.title,
    about: words.about,
    legend: [{ name: "More requests", mark: "heat", kind: "area" }, { name: `Median ${words.y}`, mark: "median" }],
    note: grid.first_row_is_zero ? `The lowest row holds requests with an ${words.y} of 0: their chunks were read together.` : "",
    draw: (width) => heatMap(width, { grid, xLabel: words.xLabel, yLabel: words.yLabel, xUnit: words.xUnit, yUnit: "ms", medianName: `Median ${words.y}` }),
    table: () => heatTable(grid, words.xUnit, `${words.y} (ms)`),
  });
}

function gapsChart(head) {
  const grid = head.gaps;
  if (!grid) return null;
  return chart({
    id: "R9",
    title: "Gaps between chunks",
    about: "How many gaps between two chunks of a reply had which length, over time; colours are on a logarithmic scale. A horizontal stripe is a steady pace. A column without gaps, with long ones after it, is a moment when the server or the client paused.",
    wide: true,
    legend: [{ name: "More gaps", mark: "heat", kind: "area" }],
    draw: (width) => heatMap(width, { grid, xLabel: TIME, yLabel: "Gap (ms), logarithmic, all chunks", xUnit: "s", yUnit: "ms", height: 300, xDomain: [Math.min(0, grid.x_start), Math.max(head.time.seconds, grid.x_start + grid.columns * grid.x_step)] }),
    note: grid.first_row_is_below ? "The lowest row holds gaps below 0.05 ms: chunks that were read together." : "",
    table: () => heatTable(grid, "time (s)", "gap (ms)"),
  });
}

function timelineChart(head, columns) {
  const place = head.timeline;
  const timeline = readTimeline(columns, place);
  const view = new TimelineView(timeline, head.time.seconds);
  const every = place.every > 1 ? `Every ${ordinal(place.every)} of ${formatNumber(place.requests)} requests has a bar` : `All ${formatNumber(place.requests)} requests`;
  const self = chart({
    id: "R10",
    title: "Request timeline",
    about: `${every}, in the lowest lane that was free when it was sent. A lane is one place in flight.`,
    wide: true,
    legend: [{ name: "Until the first token", mark: "wait", kind: "area" }, { name: "Decoding", mark: "c1", kind: "area" }, { name: "Failed", mark: "bad", kind: "area" }, { name: "Cut off or cancelled", mark: "cut", kind: "area" }],
    draw: (width) => [view.tools(), ...view.nodes(width)],
    table: () => ({
      columns: ["sent (s)", "first token (ms)", "end (ms)", "outcome", "lane"],
      rows: Array.from({ length: timeline.count }, (_, row) => [timeline.starts[row], timeline.firsts[row] * 1e3, timeline.lengths[row] * 1e3, ["success", "failed", "cut off"][timeline.outcomes[row]], timeline.lanes[row]]),
    }),
  });
  self.view = view;
  return self;
}

function lengthsChart(head, side, id, name) {
  const data = head.lengths[side];
  if (!data) return null;
  return chart({
    id,
    title: `${name} length, asked and achieved`,
    about: `Requests by ${name.toLowerCase()} tokens, in steps of ${formatNumber(data.step)}. Dashed lines are means: ${formatNumber(data.achieved_mean)} achieved${data.asked_mean === null ? "" : `, ${formatNumber(data.asked_mean)} asked`}.`,
    legend: [{ name: "Achieved", mark: "c1", kind: "area" }, ...(data.asked || data.asked_mean !== null ? [{ name: data.asked ? "Asked" : "Asked, mean", mark: "c2" }] : [])],
    draw: (width) => histogram(width, { ...data, achievedMean: data.achieved_mean, askedMean: data.asked_mean, xLabel: `${name} tokens` }),
    table: () => ({ columns: ["tokens from", "tokens to", "achieved (requests)", "asked (requests)"], rows: data.achieved.map((count, index) => [data.start + index * data.step, data.start + (index + 1) * data.step, count, data.asked?.[index] ?? null]) }),
  });
}

function errorsChart(head) {
  const errors = head.errors;
  if (!errors) return null;
  const { time } = head;
  const x = Array.from({ length: time.slices }, (_, index) => index * time.step);
  const marks = ["bad", "c2", "c4", "c5", "c3", "c1", "cut"];
  const series = errors.kinds.map((kind, index) => ({ name: kind.name, counts: kind.counts, mark: marks[index % marks.length] }));
  const first = errors.first ? `The first failure came at ${formatNumber(errors.first.first)} s: ${[errors.first.code, errors.first.kind].filter(Boolean).join(" ")}. ` : "";
  const more = errors.distinct > errors.rows.length ? `The table below has the ${errors.rows.length} most frequent of ${formatNumber(errors.distinct)} distinct failures${errors.not_distinguished ? `; ${formatNumber(errors.not_distinguished)} more failures are not distinguished` : ""}.` : "";
  const listed = el("div", { class: "table-box" }, table(["Count", "Code", "Type", "Message", "First (s)", "Last (s)"], errors.rows.map((row) => [row.count, row.code === null ? "–" : String(row.code), row.kind, row.message, row.first, row.last]), "Distinct failures"));
  return chart({
    id: "R12",
    title: "Failures by kind",
    about: `Failed requests by the slice of ${formatNumber(time.step)} s in which they ended. ${first}${more}`,
    wide: true,
    legend: series.map((one) => ({ name: one.name, mark: one.mark, kind: "area" })),
    draw: (width) => stackedBars(width, { series, x, step: time.step, xLabel: TIME, yLabel: `Failed requests per ${formatNumber(time.step)} s`, xDomain: [0, time.seconds], unit: "s" }),
    table: () => ({ columns: ["slice start (s)", ...series.map((one) => one.name)], rows: x.map((from, index) => [from, ...series.map((one) => one.counts[index])]) }),
    after: listed,
  });
}

function attainmentChart(head, slos) {
  const scales = Array.from({ length: 81 }, (_, index) => 0.25 * 16 ** (index / 80));
  let shares = [];
  const compute = () => {
    const limits = slos.limits();
    if (limits.length === 0) return null;
    const needed = neededScales(limits, slos.rows).sort();
    const judged = slos.rows * (1 + slos.failures / Math.max(1, slos.successes));
    shares = scales.map((scale) => {
      let [low, high] = [0, needed.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (needed[middle] <= scale * (1 + 1e-12)) low = middle + 1;
        else high = middle;
      }
      return low / judged;
    });
    return shares;
  };
  const self = chart({
    id: "R15",
    title: "How strict could the limits be?",
    about: "Share of requests that would meet the limits if all of them were multiplied by the same factor (lower bounds are divided by it). Failed requests never meet them. 1 is the limits above.",
    legend: [{ name: "Requests that meet the scaled limits", mark: "c1" }],
    draw: (width) => {
      if (!compute()) return [el("p", { class: "note", text: "No limit is set. Enter one in the strip at the top." })];
      return lineChart(width, { series: [{ name: "Meet the limits (%)", x: scales, y: shares.map((share) => share * 100), mark: "c1", unit: "%" }], xLog: true, xLabel: "Factor on all limits, logarithmic", yLabel: "Good requests (%), whole run", fromZero: true, xName: "Factor", xUnit: "", rules: [{ value: 1, vertical: true, text: "Limits as set" }] });
    },
    table: () => (compute() ? { columns: ["factor", "share of requests"], rows: scales.map((scale, index) => [scale, shares[index]]) } : { columns: ["factor", "share of requests"], rows: [] }),
  });
  slos.listeners.push(() => self.redraw());
  return self;
}
