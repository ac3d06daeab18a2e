// The tables of the page: server, GPUs, client health, errors, all metrics.

import { byId, fill, make, table, width } from "./dom.js";
import { bytes, clock, count, milliseconds, number, percent } from "./format.js";

const built = new Map();

/** The table of a section, made at its first use. */
function tableOf(id, title, headings, texts) {
  if (!built.has(id)) {
    const made = table(headings, texts);
    byId(id).append(make("h2", "", title), made.scroll);
    built.set(id, made.body);
  }
  return built.get(id);
}

function show(id, title, headings, rows, texts = []) {
  byId(id).hidden = rows.length === 0;
  if (rows.length > 0) fill(tableOf(id, title, headings, texts), rows);
}

export function showServer(snapshot) {
  show("server", "Server", ["Reported by the server", "Value"], snapshot.server.map((row) => [row.title, `${number(row.value)} ${row.unit}`.trim()]));
}

export function showGpus(snapshot) {
  show("gpus", "GPUs", ["GPU", "Power", "Use", "Memory", "Temp."], snapshot.gpus.map((gpu) => [
    `${gpu.index} ${gpu.model}`,
    gpu.power_watts === null ? "–" : `${number(gpu.power_watts)} W`,
    gpu.utilization_percent === null ? "–" : `${number(gpu.utilization_percent)} %`,
    gpu.memory_used_gb === null ? "–" : `${number(gpu.memory_used_gb)} GB`,
    gpu.temperature_celsius === null ? "–" : `${number(gpu.temperature_celsius)} °C`,
  ]));
}

const meters = new Map();

/** A value with a bar behind it; it warns from `limit` on. */
function meter(id, text, share, limit) {
  if (!meters.has(id)) {
    const parts = { words: make("span"), fill: make("div") };
    parts.bar = make("span", "meter", parts.fill);
    parts.element = make("span", "", parts.words, parts.bar);
    meters.set(id, parts);
  }
  const parts = meters.get(id);
  parts.words.textContent = text;
  parts.bar.classList.toggle("warn", share >= limit);
  width(parts.fill, share);
  return parts.element;
}

export function showClient(snapshot) {
  const { client } = snapshot;
  const rows = [
    ["Schedule lag, last 10 s", milliseconds(client.schedule_lag_ms)],
    ["Read delay p99, last 10 s", milliseconds(client.read_delay_p99_ms)],
    ["CPU of this program", meter("cpu", percent(client.cpu_share), client.cpu_share, 0.8)],
  ];
  if (client.busiest_thread) rows.push([`Busiest thread (${client.busiest_thread})`, meter("thread", percent(client.busiest_thread_share), client.busiest_thread_share, 0.8)]);
  if (client.descriptors_open !== null) {
    const share = client.descriptors_open / Math.max(client.descriptors_limit ?? 1, 1);
    rows.push(["Open descriptors", meter("descriptors", `${count(client.descriptors_open)} of ${count(client.descriptors_limit)}`, share, 0.8)]);
  }
  if (client.record_backlog_budget > 0) {
    const share = client.record_backlog_bytes / client.record_backlog_budget;
    rows.push(["Records that wait", meter("backlog", bytes(client.record_backlog_bytes), share, 0.5)]);
  }
  if (snapshot.dropped_samples > 0) rows.push(["Requests missing in this view", count(snapshot.dropped_samples)]);
  byId("client").hidden = snapshot.phases.every((phase) => phase.state === "waiting");
  if (!byId("client").hidden) show("client", "Client health", ["This program", "Value"], rows);
}

export function showErrors(snapshot) {
  show("errors", "Errors", ["Count", "Status", "Type", "Message", "Last"], snapshot.errors.map((error) => [
    count(error.count), ["text", error.status === null ? "–" : String(error.status)], ["text", error.kind], ["text", error.excerpt], ["soft", clock(error.last_seen_ns)],
  ]), ["Status", "Type", "Message"]);
}

let filter = null;

export function showMetrics(snapshot) {
  const place = byId("metrics");
  place.hidden = snapshot.metrics.length === 0;
  if (place.hidden) return;
  if (!filter) {
    filter = make("input");
    filter.type = "search";
    filter.placeholder = "Filter";
    filter.setAttribute("aria-label", "Filter metrics by name");
    filter.addEventListener("input", () => showMetrics(current));
    const made = table(["Metric", "avg", "min", "p50", "p90", "p95", "p99", "max", "std", "count"]);
    place.append(make("div", "head", make("h2", "", "All metrics"), filter), made.scroll);
    built.set("metrics", made.body);
  }
  current = snapshot;
  const wanted = filter.value.trim().toLowerCase();
  const rows = snapshot.metrics.filter((row) => `${row.header} ${row.tag}`.toLowerCase().includes(wanted));
  fill(built.get("metrics"), rows.map((row) => [
    `${row.header}${row.unit ? `, ${row.unit}` : ""}`,
    ...["avg", "min", "p50", "p90", "p95", "p99", "max", "std"].map((name) => number(row[name])), ["soft", count(row.count)],
  ]));
}

let current = null;
