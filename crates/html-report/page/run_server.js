// R13, R14 and R16: what servers, GPUs and the client itself report.

function smallMultiples(items, draw) {
  return (width) => {
    const columns = Math.max(1, Math.min(4, Math.floor(width / 260)));
    const each = Math.floor((width - (columns - 1) * 14) / columns);
    return [el("div", { class: "multiples" }, ...items.map((item) => draw(item, each)))];
  };
}

function serverChart(head) {
  const { charts: items, note } = head.server;
  if (items.length === 0 && !note) return null;
  return chart({
    id: "R13",
    title: "Server metrics",
    about: "What the server reported about itself, on the time axis of the run. Counters are shown per second. Each point is one scrape, or the mean of neighbouring ones.",
    wide: true,
    note: note ?? "",
    draw: smallMultiples(items, (item, width) => el("figure", {},
      el("figcaption", {}, el("strong", { text: item.name }), item.labels ? el("span", { text: ` ${item.labels}` }) : null, el("div", { class: "small-note", text: item.about ?? "" })),
      ...lineChart(width, { series: [{ name: item.per ? "Rate" : "Value", x: item.x, y: item.y, mark: "c1", unit: item.per }], xLabel: "Time (s)", yLabel: item.per ? "per second, by scrape" : "by scrape", fromZero: true, height: 150, xDomain: [0, head.time.seconds], label: item.name }))),
    table: () => ({ columns: ["metric", "labels", "time (s)", "value"], rows: items.flatMap((item) => item.x.map((x, index) => [item.name, item.labels, x, item.y[index]])) }),
  });
}

function gpuChart(head) {
  const items = head.gpu;
  if (!items) return null;
  const marks = ["c1", "c2", "c3", "c4", "c5", "wait", "cut", "bad"];
  const names = [...new Set(items.flatMap((item) => item.lines.map((line) => line.name)))];
  return chart({
    id: "R14",
    title: "GPUs",
    about: "Readings of each GPU, on the time axis of the run.",
    wide: true,
    legend: names.map((name, index) => ({ name, mark: marks[index % marks.length] })),
    draw: smallMultiples(items, (item, width) => el("figure", {},
      el("figcaption", {}, el("strong", { text: item.name })),
      ...lineChart(width, { series: item.lines.map((line) => ({ ...line, mark: marks[names.indexOf(line.name) % marks.length] })), xLabel: "Time (s)", yLabel: "by reading", fromZero: true, height: 150, xDomain: [0, head.time.seconds], label: item.name }))),
    table: () => ({ columns: ["reading", "GPU", "time (s)", "value"], rows: items.flatMap((item) => item.lines.flatMap((line) => line.x.map((x, index) => [item.name, line.name, x, line.y[index]]))) }),
  });
}

function healthChart(head) {
  const health = head.health;
  if (!health) return null;
  const beyond = (row) => row.limit !== null && row.value > row.limit;
  const verdict = health.saturated ? "The client was saturated: a part of what looks like the server is the client." : "The client was not saturated.";
  return chart({
    id: "R16",
    title: "Was the client the limit?",
    about: `${verdict} Largest values of the whole run next to the value from which on they are worth a look; single peaks are normal.`,
    draw: () => [el("div", { class: "table-box" }, el("table", { class: "health" },
      el("thead", {}, el("tr", {}, ...["Observed", "Value", "Look from"].map((name) => el("th", { scope: "col", text: name })))),
      el("tbody", {}, ...health.rows.map((row) => el("tr", { class: beyond(row) ? "beyond" : "" },
        el("td", { text: row.label }),
        el("td", { class: "number", text: formatWithUnit(row.value, row.unit) }),
        el("td", { class: "number", text: row.limit === null ? "–" : formatWithUnit(row.limit, row.unit) }))))))],
    table: () => ({ columns: ["observed", "value", "unit", "look from"], rows: health.rows.map((row) => [row.label, row.value, row.unit, row.limit]) }),
  });
}
