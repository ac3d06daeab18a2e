// R1: may the numbers be quoted, and the main figures.

function verdictSection(head, slos, links) {
  const verdict = head.verdict;
  const words = { good: "Quotable", warning: "Read the warnings first", bad: "Do not quote" };
  const tiles = el("div", { class: "tiles" });
  const figure = (label, value, detail, id) =>
    el("div", { class: "tile", id }, el("div", { class: "tile-label", text: label }), el("div", { class: "tile-value", text: value }), el("div", { class: "tile-detail", text: detail ?? "" }));
  const fill = () => {
    const result = slos.result();
    const of = (tag) => verdict.metrics.find((metric) => metric.tag === tag);
    const interval = (metric) => (metric?.ci?.avg ? `95 % interval ${formatNumber(metric.ci.avg[0])} to ${formatNumber(metric.ci.avg[1])}` : "mean over the run");
    const latency = (tag, name) => {
      const metric = of(tag);
      return metric && metric.p99 !== null ? figure(`${name} p99`, formatWithUnit(metric.p99, metric.unit), `p50 ${formatNumber(metric.p50)}, p90 ${formatNumber(metric.p90)} over requests`) : null;
    };
    const tokens = of("output_token_throughput");
    tiles.replaceChildren(...[
      figure("Throughput", `${formatNumber(verdict.throughput)} req/s`, interval(of("request_throughput"))),
      result
        ? figure("Goodput", `${formatNumber(result.goodput)} req/s`, `${formatPercent(result.share)} of requests meet the limits`, "tile-goodput")
        : figure("Goodput", "no limits", "set them below", "tile-goodput"),
      tokens ? figure("Output", `${formatNumber(tokens.avg)} tok/s`, interval(tokens)) : null,
      latency("time_to_first_token", "TTFT"),
      latency("inter_token_latency", "ITL"),
      latency("request_latency", "Latency"),
      figure("Failed", formatNumber(verdict.failures), `of ${formatNumber(verdict.requests)} requests${verdict.cut_off ? `, ${formatNumber(verdict.cut_off)} cut off` : ""}`),
      figure("Steady part", verdict.steady.reached ? `${formatNumber(verdict.steady.end - verdict.steady.start)} s` : "none found", verdict.steady.reached ? `from ${formatNumber(verdict.steady.start)} s, ${formatNumber(verdict.steady.requests)} requests` : ""),
    ].filter(Boolean));
  };
  slos.listeners.push(fill);
  fill();
  const notes = verdict.validity.map((note) =>
    el("details", { class: `finding ${note.severity}` },
      el("summary", {}, el("span", { class: "badge", text: note.severity === "warning" ? "Warning" : "Note" }), el("code", { text: note.code }), el("span", { text: note.message })),
      el("p", { text: note.advice })));
  const steadyReason = !verdict.steady.reached && verdict.steady.reason ? [el("p", { class: "note", text: `Steady part: ${verdict.steady.reason}.` })] : [];
  const summaryTable = {
    columns: ["Metric", "Unit", "avg", "min", "p50", "p90", "p95", "p99", "max", "std"],
    rows: verdict.metrics.map((metric) => [metric.label, metric.unit, metric.avg, metric.min, metric.p50, metric.p90, metric.p95, metric.p99, metric.max, metric.std]),
  };
  return el("section", { class: `verdict ${verdict.state}`, id: "r1", "aria-labelledby": "r1-title" },
    el("h2", { id: "r1-title" }, el("a", { class: "number", href: "#r1", text: "R1" }), el("span", { class: "state", text: words[verdict.state] })),
    el("p", { class: "sentence", text: verdict.sentence }),
    verdict.reason ? el("p", { class: "note", text: verdict.reason }) : null,
    tiles,
    links,
    el("h3", { text: "Limits of a good request (SLO)" }),
    slos.node(),
    notes.length ? el("h3", { text: "Checks" }) : null,
    ...folded(notes, 3, "more checks"),
    ...steadyReason,
    dataTable("R1", "Main metrics over the whole run", () => summaryTable));
}
