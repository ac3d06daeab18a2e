// The page of a comparison: how far candidates lie from the baseline.

const SIDES = ["c1", "c2", "c3", "c4", "c5"];

function verdictMark(verdict) {
  return { better: "win", worse: "loss", equal: "same", changed: "c4" }[verdict] ?? "same";
}

function signed(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${formatNumber(Math.abs(value))} %`;
}

// Names stand left of the intervals and results right of them; on a narrow screen both stand above.
function forestDrawing(width, rows) {
  const narrow = width < 620;
  const each = narrow ? 40 : 26;
  const [left, right] = narrow ? [12, width - 12] : [width > 800 ? 260 : 210, width - 160];
  const height = 62 + rows.length * each;
  const bounded = (value, at) => Math.min(Math.abs(value ?? 0), Math.abs(at) * 4 + 20);
  const reach = Math.max(...rows.map((row) => Math.max(Math.abs(row.at), bounded(row.low, row.at), bounded(row.high, row.at), row.band * 1.6)));
  const scale = linearScale([-reach, reach], [left, right], (right - left) / 90);
  const place = (value) => Math.max(left, Math.min(right, scale.at(value)));
  const node = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Changes from the baseline with intervals" });
  const base = height - 40;
  for (const tick of scale.ticks) {
    const at = scale.at(tick);
    node.append(svg("g", { class: "grid" }, svg("line", { x1: at, x2: at, y1: 6, y2: base })), svg("g", { class: "axis" }, svg("text", { x: at, y: base + 16, "text-anchor": "middle", text: `${scale.format(tick)} %` })));
  }
  node.append(svg("g", { class: "axis" }, svg("line", { class: "base", x1: scale.at(0), x2: scale.at(0), y1: 6, y2: base }), svg("text", { class: "axis-name", x: (left + right) / 2, y: height - 6, "text-anchor": "middle", text: "Change from the baseline, interval" })));
  rows.forEach((row, index) => {
    const top = 8 + index * each;
    const y = narrow ? top + 26 : top + 12;
    const mark = verdictMark(row.verdict);
    const text = narrow ? top + 11 : y + 4;
    const result = `${signed(row.at)} ${row.verdict === "cannot tell" ? "inconclusive" : row.verdict}`;
    node.append(
      svg("rect", { class: "shade-none", x: place(-row.band), width: place(row.band) - place(-row.band), y: y - 8, height: 16 }),
      svg("text", { class: "row-name", x: narrow ? left : left - 12, y: text, "text-anchor": narrow ? "start" : "end", text: row.name }),
      row.low === null ? "" : svg("line", { class: `whisker ${mark}`, x1: place(row.low), x2: place(row.high), y1: y, y2: y }),
      svg("circle", { class: `point ${mark}`, cx: place(row.at), cy: y, r: 4.5 }, svg("title", { text: `${row.name}: ${result}` })),
      svg("text", { class: "row-name", x: narrow ? right : right + 12, y: text, "text-anchor": narrow ? "end" : "start", text: result }));
  });
  return [node];
}

// One row for each metric: the change, its interval, and the band of changes that count as none.
function forestChart(comparison, id) {
  const rows = comparison.metrics.filter((row) => row.change && row.change.share !== null && row.change.share !== undefined);
  if (rows.length === 0) return null;
  const percent = (share) => (share === null ? null : share * 100);
  const shown = rows.map((row) => ({ ...row, at: percent(row.change.share), low: percent(row.change.low), high: percent(row.change.high), band: row.threshold * 100, name: `${row.metric.replaceAll("_", " ")} ${row.statistic}` }));
  return chart({
    id,
    title: `Changes of ${comparison.candidate.folder}`,
    about: "Change from the baseline in percent (percentage points for rates in percent), with its interval. The grey band is what counts as no change. An interval outside the band is a difference; one inside it shows that there is none; anything else is inconclusive.",
    wide: true,
    legend: [{ name: "Better", mark: "win", kind: "dot" }, { name: "Worse", mark: "loss", kind: "dot" }, { name: "Equal or inconclusive", mark: "same", kind: "dot" }, { name: "Counts as no change", mark: "cut", kind: "area" }],
    draw: (width) => forestDrawing(width, shown),
    table: () => ({ columns: ["metric", "statistic", "unit", "baseline", "candidate", "change", "low", "high", "threshold", "verdict", "reason"], rows: comparison.metrics.map((row) => [row.metric, row.statistic, row.unit, row.baseline, row.candidate, row.change?.share ?? null, row.change?.low ?? null, row.change?.high ?? null, row.threshold, row.verdict, row.reason]) }),
  });
}

function survivalOfSides(sides, tag, name, id) {
  const curves = sides.flatMap((side, index) => {
    const curve = side.curves?.survival.find((one) => one.tag === tag);
    return curve ? [{ ...curve, label: side.name, mark: SIDES[index % SIDES.length], x: curve.points.map((point) => point[1]), y: curve.points.map((point) => point[0]), low: curve.points.map((point) => point[2]), high: curve.points.map((point) => point[3]) }] : [];
  });
  if (curves.length === 0) return null;
  return chart({
    id,
    title: `Tail of ${name}`,
    about: `Share of successful requests of one run that took longer than x, both axes logarithmic, with 95 % intervals of the percentiles.`,
    legend: curves.map((curve) => ({ name: curve.label, mark: curve.mark })),
    draw: (width) => survivalDrawing(width, curves, []),
    table: () => ({ columns: ["run", "share that took longer", `${name} (ms)`, "interval low", "interval high"], rows: curves.flatMap((curve) => curve.points.map((point) => [curve.label, ...point])) }),
  });
}

// The difference at each percentile: is every request slower, or only the slow ones?
function shiftChart(sides, tag, name, id) {
  const [baseline, ...others] = sides;
  const base = baseline.curves?.percentiles[tag];
  if (!base) return null;
  const series = others.flatMap((side, index) => {
    const points = side.curves?.percentiles[tag];
    if (!points) return [];
    const half = (point) => (point[2] === null ? null : (point[3] - point[2]) / 2);
    const rows = base.map((from, place) => {
      const to = points[place];
      const spread = half(from) === null || half(to) === null ? null : Math.hypot(half(from), half(to));
      return { q: from[0] * 100, change: to[1] - from[1], spread };
    });
    return [{ name: side.name, unit: "ms", mark: SIDES[(index + 1) % SIDES.length], x: rows.map((row) => row.q), y: rows.map((row) => row.change), low: rows.map((row) => (row.spread === null ? null : row.change - row.spread)), high: rows.map((row) => (row.spread === null ? null : row.change + row.spread)), points: true }];
  });
  if (series.length === 0) return null;
  return chart({
    id,
    title: `Where ${name} shifts`,
    about: `Difference from the baseline at each percentile of ${name}. A flat line is a shift of all requests; a rise at the right is a longer tail. Bands are 95 % intervals of the difference.`,
    legend: series.map((line) => ({ name: line.name, mark: line.mark })),
    draw: (width) => lineChart(width, { series, xLabel: `Percentile of ${name}`, yLabel: "Difference (ms), whole run", fromZero: true, xName: "Percentile", xUnit: "", xTicks: [5, 20, 40, 60, 80, 99], rules: [{ value: 0, text: "No difference" }] }),
    table: () => ({ columns: ["run", "percentile", "difference (ms)", "interval low", "interval high"], rows: series.flatMap((line) => line.x.map((q, index) => [line.name, q, line.y[index], line.low[index], line.high[index]])) }),
  });
}

function overlayChart(sides, id, { title, about, yLabel, unit, pick, log }) {
  const series = sides.flatMap((side, index) => {
    const curves = side.curves;
    const y = curves ? pick(curves) : null;
    if (!y) return [];
    const { step, slices, seconds } = curves.time;
    const x = Array.from({ length: slices }, (_, slice) => (slice * step + Math.min(seconds, (slice + 1) * step)) / 2);
    return [{ name: side.name, unit, x, y, mark: SIDES[index % SIDES.length] }];
  });
  if (series.length === 0) return null;
  return chart({
    id,
    title,
    about,
    legend: series.map((line) => ({ name: line.name, mark: line.mark })),
    draw: (width) => lineChart(width, { series, xLabel: "Time since the start of each run (s)", yLabel, fromZero: true, yLog: log }),
    table: () => ({ columns: ["run", "time (s)", yLabel], rows: series.flatMap((line) => line.x.map((x, index) => [line.name, x, line.y[index]])) }),
  });
}

function comparisonPage(head) {
  const { comparison, sides, settings } = head;
  const time = "time_to_first_token";
  const list = [
    ...comparison.comparisons.map((one, index, all) => forestChart(one, all.length > 1 ? `C2${String.fromCharCode(97 + index)}` : "C2")),
    survivalOfSides(sides, time, "TTFT", "C3"),
    survivalOfSides(sides, "request_latency", "request latency", "C4"),
    shiftChart(sides, time, "TTFT", "C5"),
    shiftChart(sides, "inter_token_latency", "ITL", "C6"),
    overlayChart(sides, "C7", { title: "TTFT over time", about: "p99 of TTFT over the requests sent in each slice of the run.", yLabel: "TTFT p99 (ms), by slice", unit: "ms", pick: (curves) => curves.over_time[time]?.p99 }),
    overlayChart(sides, "C8", { title: "Throughput over time", about: "Requests that finished per second in each slice of the run.", yLabel: "Requests/s, by slice", unit: "req/s", pick: (curves) => curves.load.finished }),
  ].filter(Boolean);
  const sections = [...comparison.comparisons.map(accuracyChanges).filter(Boolean), ...list.map((one) => one.section), settingsSection(settings, sides, comparison)];
  return [comparisonVerdict(head, questions(COMPARISON_QUESTIONS, sections)), ...sections];
}

// The answers to the same questions of an accuracy benchmark.
function accuracyChanges(one) {
  const accuracy = one.accuracy;
  if (!accuracy) return null;
  const verdict = accuracy.verdict === "cannot tell" ? "inconclusive" : accuracy.verdict;
  const row = (name, pairs) => [name, pairs.questions, pairs.baseline === null ? null : formatPercent(pairs.baseline), pairs.candidate === null ? null : formatPercent(pairs.candidate), pairs.only_baseline_right, pairs.only_candidate_right];
  const about = accuracy.reason ?? `${accuracy.questions} questions were answered by both. The exact test of McNemar uses those that only one of them answers right: p = ${formatNumber(accuracy.p_value)}.`;
  return el("section", { class: "chart wide", id: "accuracy" },
    el("h2", { text: `Accuracy of ${one.candidate.folder}: ${verdict}` }),
    el("p", { class: "about", text: about }),
    table(["Task", "Questions", "Baseline", "Candidate", "Right only in the baseline", "Right only in the candidate"], [row(`All of ${accuracy.benchmark}`, accuracy), ...accuracy.tasks.map((task) => row(task.task, task))]));
}

const COMPARISON_QUESTIONS = [
  ["What is better or worse?", "C2", "C2a", "C2b", "C2c"],
  ["Is the tail longer?", "C3", "C4"],
  ["Are all requests slower, or only the slow ones?", "C5", "C6"],
  ["Did it change during the run?", "C7", "C8"],
  ["Were the settings the same?", "C9"],
];

function comparisonVerdict({ comparison, sides }, links) {
  const count = (one, verdict) => one.metrics.filter((row) => row.verdict === verdict).length + (one.accuracy?.verdict === verdict ? 1 : 0);
  const worst = comparison.comparisons.some((one) => count(one, "worse") > 0);
  const state = comparison.no_verdict ? "bad" : worst ? "warning" : "good";
  const sentences = comparison.comparisons.map((one) => {
    const words = [["better", "better"], ["worse", "worse"], ["equal", "equal"], ["inconclusive", "inconclusive"], ["cannot tell", "inconclusive"]].map(([verdict, word]) => [count(one, verdict), word]).filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
    const worse = one.metrics.filter((row) => row.verdict === "worse").map((row) => `${row.metric.replaceAll("_", " ")} ${row.statistic}`);
    if (one.accuracy?.verdict === "worse") worse.push("accuracy");
    return `${one.candidate.folder}: ${words.join(", ")}${worse.length ? `. Worse: ${worse.join(", ")}` : ""}.`;
  });
  const words = { good: "Nothing is worse", warning: "Something is worse", bad: "No verdict" };
  const notes = [comparison.baseline, ...comparison.comparisons.map((one) => one.candidate)].flatMap((side) => side.warnings.map((warning) => `${side.folder}: ${warning.message}`));
  return el("section", { class: `verdict ${state}`, id: "c1" },
    el("h2", {}, el("a", { class: "number", href: "#c1", text: "C1" }), el("span", { class: "state", text: words[state] })),
    ...sentences.map((text) => el("p", { class: "sentence", text })),
    comparison.no_verdict ? el("p", { class: "note", text: `No verdict: ${comparison.no_verdict}.` }) : null,
    el("p", { class: "note", text: `The baseline is ${comparison.baseline.folder}. All verdicts together hold with ${formatPercent(comparison.confidence_level)} confidence. Curves show the first run of each folder${sides.some((side) => side.runs > 1) ? "; verdicts use all runs" : ""}.` }),
    links,
    notes.length ? el("details", { class: "finding warning" }, el("summary", { text: notes.length === 1 ? "A warning of a run" : `${notes.length} warnings of the runs` }), ...notes.map((text) => el("p", { text }))) : null);
}

function settingsSection(settings, sides, comparison) {
  const work = comparison.comparisons.flatMap((one) => one.workload_differences.map((note) => [note.what, note.baseline, note.candidate, one.candidate.folder]));
  return el("section", { class: "chart wide", id: "c9" },
    el("h2", {}, el("a", { class: "number", href: "#c9", text: "C9" }), "What differs in the settings"),
    work.length ? el("p", { class: "about", text: "The runs did not do the same work; this may be the cause of a difference." }) : null,
    work.length ? el("div", { class: "table-box" }, table(["What", "Baseline", "Candidate", "Candidate's folder"], work)) : null,
    settings.length ? el("div", { class: "table-box" }, table(["Setting", ...sides.map((side) => side.name)], settings.map((row) => [row.setting, ...row.values]))) : el("p", { class: "note", text: "No setting differs, as far as the folders tell." }));
}

function comparisonSubtitle(head) {
  return `comparison of ${head.sides.length} folders`;
}
