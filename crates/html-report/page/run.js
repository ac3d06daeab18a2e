// The page of one run.

const RUN_QUESTIONS = [
  ["What is the capacity?", "R17", "R18"],
  ["Did the load happen?", "R2"],
  ["What is the tail?", "R5"],
  ["Why is TTFT high?", "R6", "R7", "R13"],
  ["Why do tokens come slowly?", "R8", "R9"],
  ["What happened when?", "R10"],
  ["What failed first?", "R12"],
  ["How strict could the limits be?", "R15"],
  ["Was the client the limit?", "R16"],
];

function runPage(head, columns) {
  const slos = new SloEditor(head, columns);
  const list = [
    capacityChart(head),
    decisionsChart(head),
    loadChart(head),
    sliceChart(head, slos, "R3", "time_to_first_token", "Time to first token"),
    sliceChart(head, slos, "R4", "inter_token_latency", "Inter-token latency"),
    survivalChart(head, slos),
    firstTokenChart(head),
    densityChart("R7", head.ttft_by_input, { title: "TTFT against input length", y: "TTFT", about: "Requests by uncached input tokens (input less what the server read from its prefix cache) and TTFT, over the whole run. The line is the median TTFT of each column.", xLabel: "Uncached input tokens", yLabel: "TTFT (ms), logarithmic, each request", xUnit: "tokens" }),
    densityChart("R8", head.itl_by_streams, { title: "ITL against load", y: "ITL", about: "Requests by the mean number of streams that decoded at the same time and their inter-token latency, over the whole run. The line is the median ITL of each column.", xLabel: "Streams decoding, mean over the request", yLabel: "ITL (ms), logarithmic, each request", xUnit: "streams" }),
    gapsChart(head),
    timelineChart(head, columns),
    lengthsChart(head, "input", "R11a", "Input"),
    lengthsChart(head, "output", "R11b", "Output"),
    errorsChart(head),
    serverChart(head),
    gpuChart(head),
    attainmentChart(head, slos),
    healthChart(head),
  ].filter(Boolean);
  const sections = list.map((one) => one.section);
  return [verdictSection(head, slos, questions(RUN_QUESTIONS, sections)), accuracySection(head.accuracy), ...sections, textSection(head.text), aboutSection(head)];
}

// Right answers by task, if the run is an accuracy benchmark.
function accuracySection(accuracy) {
  if (!accuracy) return null;
  const percent = (share) => (share === null || share === undefined ? null : formatPercent(share));
  const rows = accuracy.rows.map((row) => [row.task, row.right, row.total, row.unparsed, row.failed, percent(row.accuracy), row.ci ? `${percent(row.ci[0])} to ${percent(row.ci[1])}` : null]);
  const source = accuracy.data ? ` Data: ${Object.values(accuracy.data).join(", ")}.` : "";
  return el("section", { class: "chart wide", id: "accuracy" },
    el("h2", { text: `Accuracy: ${accuracy.benchmark}` }),
    el("p", { class: "about", text: `Right answers, graded by ${accuracy.grader}. The interval is Wilson's. Failed requests count as wrong and unparsed.${source}` }),
    table(["Task", "Correct", "Total", "Unparsed", "Failed", "Accuracy", "Interval"], rows));
}

// Prompts and answers, if the file was made with them.
function textSection(text) {
  if (!text) return null;
  const block = (title, entries) => [el("h3", { text: title }), ...(entries.length ? entries.map((entry, index) => el("details", {}, el("summary", { text: `${index + 1}` }), el("pre", { text: entry }))) : [el("p", { class: "note", text: "The folder has none." })])];
  return el("section", { class: "chart wide", id: "text" }, el("h2", { text: "Texts" }), el("p", { class: "about", text: "The first prompts and answers of the run, because the report was made with --include-text." }), ...block("Prompts", text.inputs), ...block("Answers", text.outputs));
}

function aboutSection(head) {
  const meta = head.meta;
  const row = (name, value) => (value === null || value === undefined || value === "" ? null : [el("dt", { text: name }), el("dd", { text: typeof value === "string" ? value : JSON.stringify(value) })]);
  const rows = [row("Command", meta.command), row("Folder", meta.folder), row("Servers", meta.urls?.join(", ")), row("Endpoint", meta.endpoint), row("Phases", meta.phases), row("Benchmark", meta.benchmark_id), row("Started", meta.start_time), row("Measured by", meta.measured_by ? `aiperf ${meta.measured_by}` : null), row("Report by", meta.made_by), row("Unreadable lines", meta.skipped_lines ? String(meta.skipped_lines) : null)];
  return el("section", { class: "chart wide", id: "about" }, el("h2", { text: "How it was measured" }), el("dl", {}, ...rows.filter(Boolean).flat()));
}

function runSubtitle(head) {
  const meta = head.meta;
  return [meta.endpoint, meta.streaming ? "streaming" : null, meta.urls?.join(", "), meta.start_time?.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ");
}
