// The strip at the top of a sweep, which answers "what load can I run?", and the order of its charts.

// Limits that the reader moves, and the highest load that meets them.
class LoadQuestion {
  constructor(head, axis) {
    this.axis = axis;
    this.percentile = "p99";
    this.listeners = [];
    const given = (tag) => (head.slos && typeof head.slos[tag] === "number" ? head.slos[tag] : null);
    this.limits = [["time_to_first_token", "TTFT"], ["inter_token_latency", "ITL"], ["request_latency", "Latency"]]
      .map(([tag, name]) => ({ tag, name, values: head.cells.flatMap((cell) => (cell.figures[`${tag}_p99`] ? [cell.figures[`${tag}_p50`]?.[0] ?? 0, cell.figures[`${tag}_p99`][0]] : [])), limit: given(tag) }))
      .filter((limit) => limit.values.length > 0);
  }

  meets(cell) {
    return this.limits.every(({ tag, limit }) => {
      if (limit === null) return true;
      const figure = figureOf(cell, `${tag}_${this.percentile}`);
      return figure !== null && figure.mean <= limit;
    });
  }

  // For each series the highest load up to which every tested load meets the limits, and the first that does not.
  answers() {
    return [...this.axis.groups].map(([group, points]) => {
      const beyond = points.findIndex((point) => !this.meets(point.cell));
      const best = beyond === 0 ? null : points[beyond < 0 ? points.length - 1 : beyond - 1];
      return { group, best, beyond: beyond < 0 ? null : points[beyond] };
    });
  }

  rule(tag) {
    const limit = this.limits.find((one) => one.tag === tag);
    return limit && limit.limit !== null ? { value: limit.limit, text: `Limit ${formatWithUnit(limit.limit, "ms")} on ${this.percentile}` } : null;
  }

  node() {
    const answer = el("div", { class: "answer", id: "load-answer", role: "status" });
    const tell = () => {
      const set = this.limits.some((limit) => limit.limit !== null);
      answer.dataset.limits = this.limits.filter((limit) => limit.limit !== null).map((limit) => `${limit.tag}=${limit.limit}`).join(" ");
      answer.dataset.best = this.answers().map((one) => one.best?.cell.label ?? "none").join(" | ");
      answer.replaceChildren(...(set ? this.answers().map((one) => el("p", {}, ...this.sentence(one))) : [el("p", { text: "Move a limit to see the highest load that meets it." })]));
    };
    const changed = () => {
      tell();
      this.listeners.forEach((listener) => listener());
    };
    const percentile = el("select", { "aria-label": "Percentile of the limits", onchange: () => {
      this.percentile = percentile.value;
      changed();
    } }, ...["p50", "p90", "p95", "p99"].map((name) => el("option", { value: name, text: name, selected: name === "p99" })));
    const sliders = this.limits.map((limit) => {
      const [low, high] = extent([limit.values]);
      const place = (value) => Math.round((1000 * Math.log(value / (low * 0.5))) / Math.log((high * 2) / (low * 0.5)));
      const slider = el("input", { type: "range", min: 0, max: 1000, "aria-label": `${limit.name} limit, slider`, class: "slider" });
      slider.value = String(limit.limit === null ? 1000 : place(limit.limit));
      const number = el("input", { type: "number", min: 0, step: "any", placeholder: "no limit", "aria-label": `${limit.name} limit in milliseconds`, id: `load-${limit.tag}` });
      number.value = limit.limit === null ? "" : String(limit.limit);
      slider.addEventListener("input", () => {
        limit.limit = Number((low * 0.5 * ((high * 2) / (low * 0.5)) ** (Number(slider.value) / 1000)).toPrecision(3));
        number.value = String(limit.limit);
        changed();
      });
      number.addEventListener("input", () => {
        const value = Number(number.value);
        limit.limit = number.value.trim() === "" || !(value > 0) ? null : value;
        if (limit.limit !== null) slider.value = String(place(limit.limit));
        changed();
      });
      return el("div", { class: "slide" }, el("span", { text: `${limit.name} at most` }), slider, number, el("span", { class: "unit", text: "ms" }));
    });
    tell();
    return el("form", { class: "slo", onsubmit: (event) => event.preventDefault() }, el("div", { class: "slo-inputs" }, el("label", {}, "Percentile", percentile), ...sliders), answer);
  }

  sentence({ group, best, beyond }) {
    const name = group ? `${group}: ` : "";
    if (!best) return [`${name}${group ? "no" : "No"} tested load meets the limits; the lowest is ${beyond.cell.label}.`];
    const rate = figureOf(best.cell, "request_throughput");
    const tokens = figureOf(best.cell, "output_token_throughput");
    // The name of the group stands before it already.
    const load = (point) => (group ? `${this.axis.label.replace(", logarithmic", "")} ${point.x}` : point.cell.label);
    const upTo = el("strong", { text: `${group ? "up" : "Up"} to ${load(best)}` });
    const after = beyond ? ` At ${load(beyond)} it no longer does.` : " It is the highest load that was tested; more may be possible.";
    return [name, upTo, ` the ${this.percentile} meets the limits: ${formatWithUnit(rate?.mean, "requests/s")}${tokens ? `, ${formatWithUnit(tokens.mean, "output tokens/s")}` : ""}.${after}`];
  }
}

const SWEEP_QUESTIONS = [
  ["Which configuration is best?", "S2"],
  ["From which load on is TTFT too high?", "S3"],
  ["Do tokens slow down?", "S4"],
  ["Does the server keep up?", "S5"],
  ["How much of it is good?", "S6"],
  ["What failed?", "S7"],
  ["Is the queue or the KV cache full?", "S8"],
  ["What does it cost?", "S9"],
  ["How do two parameters act together?", "S10"],
];

function sweepVerdict(head, question, links) {
  const warned = head.cells.filter((cell) => cell.warnings.length > 0);
  const failed = head.failed_runs.length;
  const state = failed > 0 || head.cells.some((cell) => cell.incomplete_runs > 0) ? "bad" : warned.length ? "warning" : "good";
  const words = { good: "Quotable", warning: "Read the warnings first", bad: "Incomplete" };
  const most = head.cells.reduce((best, cell) => ((figureOf(cell, "output_token_throughput")?.mean ?? 0) > (figureOf(best, "output_token_throughput")?.mean ?? 0) ? cell : best), head.cells[0]);
  const parts = [`${head.cells.length} configurations, ${head.runs} runs`, failed ? `${failed} without a result` : null, warned.length ? `${warned.length} configurations with warnings` : "no warnings"].filter(Boolean).join(", ");
  const top = most && figureOf(most, "output_token_throughput") ? ` The highest throughput, ${formatNumber(figureOf(most, "output_token_throughput").mean)} output tokens/s, is that of ${most.label}.` : "";
  return el("section", { class: `verdict ${state}`, id: "s1" },
    el("h2", {}, el("a", { class: "number", href: "#s1", text: "S1" }), el("span", { class: "state", text: words[state] })),
    el("p", { class: "sentence", text: `${parts}.${top}` }),
    failed ? el("p", { class: "note", text: `Without a result: ${head.failed_runs.join(", ")}.` }) : null,
    el("h3", { text: "What load can I run?" }),
    question.node(),
    links,
    warned.length ? el("details", { class: "finding warning" }, el("summary", { text: "Warnings by configuration" }), ...warned.map((cell) => el("p", { text: `${cell.label}: ${cell.warnings.join(", ")}` }))) : null);
}

function sweepPage(head) {
  const axis = sweepAxis(head);
  const question = new LoadQuestion(head, axis);
  const listen = question.listeners;
  const percentiles = (tag) => ["p50", "p90", "p99"].map((name, index) => ({ key: `${tag}_${name}`, name, unit: "ms", mark: ["c1", "c3", "c2"][index] }));
  const wideRange = (lines) => {
    const [low, high] = extent(lines.map((line) => line.y));
    return low > 0 && high / low > 20;
  };
  const curve = [...axis.groups.values()][0].flatMap(({ cell, x }) => (figureOf(cell, "request_throughput") ? [{ x, y: figureOf(cell, "request_throughput").mean, cell }] : []));
  const bend = knee(curve);
  const bent = bend ? `The knee, the point farthest above the line from the first to the last point, is ${bend.cell.label}.` : "No knee was found in the tested loads.";
  const offered = head.cells.every((cell) => cell.offered !== null);
  const list = [
    paretoChart(head),
    againstLoad(axis, { id: "S3", title: "TTFT against load", about: "p50, p90 and p99 of TTFT over the requests of a run, mean of the runs, with 95 % intervals.", keys: percentiles("time_to_first_token"), yLabel: "TTFT (ms), whole run", rule: () => question.rule("time_to_first_token"), yLog: wideRange, listen }),
    againstLoad(axis, { id: "S4", title: "ITL against load", about: "p50, p90 and p99 of inter-token latency over the requests of a run, mean of the runs, with 95 % intervals.", keys: percentiles("inter_token_latency"), yLabel: "ITL (ms), whole run", rule: () => question.rule("inter_token_latency"), yLog: wideRange, listen }),
    offered ? offeredChart(head, axis, bent) : againstLoad(axis, { id: "S5", title: "Throughput against load", about: `Finished requests per second over the whole run, mean of the runs, with 95 % intervals. ${bent}`, keys: [{ key: "request_throughput", name: "Throughput", unit: "req/s" }], rule: () => (bend ? { value: bend.x, vertical: true, text: `Knee: ${bend.cell.label}` } : null), yLabel: "Requests/s, whole run" }),
    againstLoad(axis, { id: "S6", title: "Goodput against load", about: "Requests per second that met the limits of the run, next to all that finished. Where they part, the limits break.", keys: [{ key: "request_throughput", name: "Finished", unit: "req/s", kind: "dashed" }, { key: "goodput", name: "Goodput", unit: "req/s", kind: "line" }], yLabel: "Requests/s, whole run" }),
    statusChart(head),
    againstLoad(axis, { id: "S8", title: "Queue and KV cache", about: "Mean over the run of requests that waited in the server and of the share of the KV cache in use (percent), as the server reports them.", keys: [{ key: "waiting_requests", name: "Waiting requests", unit: "requests" }, { key: "kv_cache_usage", name: "KV cache in use", unit: "%", factor: 100 }], yLabel: "Requests, or percent" }),
    againstLoad(axis, { id: "S9", title: "Cost and energy", about: "Cost of a million output tokens and energy of an output token, over the whole run.", keys: [{ key: "cost_per_million_output_tokens", name: "Cost per million output tokens", unit: "" }, { key: "nvidia_energy_per_output_token", name: "Energy per output token", unit: "J" }], yLabel: "Cost, or joules" }),
    gridChart(head),
  ].filter(Boolean);
  const sections = list.map((one) => one.section);
  return [sweepVerdict(head, question, questions(SWEEP_QUESTIONS, sections)), ...sections, sweepAbout(head)];
}

// With a rate: what finished against what was asked for.
function offeredChart(head, axis, bent) {
  const points = head.cells.flatMap((cell) => (figureOf(cell, "request_throughput") ? [{ cell, x: cell.offered, y: figureOf(cell, "request_throughput") }] : [])).sort((a, b) => a.x - b.x);
  if (points.length === 0) return null;
  const x = points.map((point) => point.x);
  const series = [
    { name: "As offered", x, y: x, mark: "cut", kind: "dashed", unit: "req/s" },
    { name: "Achieved", x, y: points.map((point) => point.y.mean), low: points.map((point) => point.y.low), high: points.map((point) => point.y.high), mark: "c1", unit: "req/s", points: true },
  ];
  return chart({
    id: "S5",
    title: "Achieved against offered load",
    about: `Requests per second that finished over the whole run, against the rate that was asked for. Below the dashed line the server does not keep up. ${bent}`,
    legend: series.map((line) => ({ name: line.name, mark: line.mark, kind: line.kind ?? "line" })),
    draw: (width) => lineChart(width, { series, xLabel: "Offered requests/s", yLabel: "Achieved requests/s, whole run", fromZero: true, xName: "Offered", xUnit: "req/s", height: 270 }),
    table: () => ({ columns: ["configuration", "offered (req/s)", "achieved (req/s)", "interval low", "interval high"], rows: points.map((point) => [point.cell.label, point.x, point.y.mean, point.y.low, point.y.high]) }),
  });
}

function sweepAbout(head) {
  const meta = head.meta;
  const rows = [["Command", meta.command], ["Folder", meta.folder], ["Servers", meta.urls?.join(", ")], ["Started", meta.start_time], ["Report by", meta.made_by]].filter(([, value]) => value);
  return el("section", { class: "chart wide", id: "about" }, el("h2", { text: "How it was measured" }), el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })])));
}

function sweepSubtitle(head) {
  return ["sweep", head.parameters.map((parameter) => parameter.name).join(", "), head.meta.endpoint, head.meta.start_time?.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ");
}
