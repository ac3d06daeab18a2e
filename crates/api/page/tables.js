// The tables of the page: server, GPUs, client health, errors, all metrics.

import { byId, fill, make, say, table, width } from "./dom.js";
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

const tiles = new Map();

/** A value under its name, with a bar if `share` is given; the bar warns from `limit` on. */
function tile(name, text, share, limit) {
  if (!tiles.has(name)) {
    const parts = { words: make("dd"), fill: make("div") };
    parts.bar = make("div", "meter", parts.fill);
    parts.element = make("div", "tile", make("dt", "", name), parts.words, parts.bar);
    tiles.set(name, parts);
  }
  const parts = tiles.get(name);
  say(parts.words, text);
  parts.bar.hidden = share === undefined;
  parts.bar.classList.toggle("warn", share >= limit);
  width(parts.fill, share ?? 0);
  return parts.element;
}

export function showClient(snapshot) {
  const place = byId("client");
  place.hidden = snapshot.phases.every((phase) => phase.state === "waiting");
  if (place.hidden) return;
  if (place.children.length === 0) place.append(make("h2", "", "Client health"), make("dl", "tiles"));
  const { client } = snapshot;
  const shown = [
    tile("Schedule lag, last 10 s", milliseconds(client.schedule_lag_ms)),
    tile("Read delay p99, last 10 s", milliseconds(client.read_delay_p99_ms)),
    tile("CPU of this program", percent(client.cpu_share), client.cpu_share, 0.8),
  ];
  if (client.busiest_thread) shown.push(tile("Busiest thread", `${percent(client.busiest_thread_share)} ${client.busiest_thread}`, client.busiest_thread_share, 0.8));
  if (client.descriptors_open !== null) {
    const share = client.descriptors_open / Math.max(client.descriptors_limit ?? 1, 1);
    shown.push(tile("Open descriptors", `${count(client.descriptors_open)} of ${count(client.descriptors_limit)}`, share, 0.8));
  }
  if (client.record_backlog_budget > 0) {
    const share = client.record_backlog_bytes / client.record_backlog_budget;
    shown.push(tile("Records that wait", bytes(client.record_backlog_bytes), share, 0.5));
  }
  if (snapshot.dropped_samples > 0) shown.push(tile("Requests missing in this view", count(snapshot.dropped_samples)));
  const list = place.lastElementChild;
  if (list.children.length !== shown.length) list.replaceChildren(...shown);
}

const errors = [];

export function showErrors(snapshot) {
  const place = byId("errors");
  place.hidden = snapshot.errors.length === 0;
  if (place.hidden) return;
  if (place.children.length === 0) place.append(make("h2", "", "Errors"), make("ul", "errors"));
  const list = place.lastElementChild;
  snapshot.errors.forEach((error, at) => {
    if (!errors[at]) {
      const row = { count: make("b", "number"), kind: make("span"), last: make("time"), excerpt: make("code") };
      row.element = make("li", "", row.count, row.kind, row.last, row.excerpt);
      list.append(row.element);
      errors[at] = row;
    }
    const row = errors[at];
    say(row.count, `${count(error.count)} ×`);
    say(row.kind, `${error.status ?? ""} ${error.kind}`.trim());
    say(row.last, `last ${clock(error.last_seen_ns)}`);
    say(row.excerpt, error.excerpt);
  });
  errors.splice(snapshot.errors.length).forEach((row) => row.element.remove());
}

const STATISTICS = ["avg", "min", "p50", "p90", "p95", "p99", "max", "std"];
/** Statistics that a narrow screen has room for. */
const NARROW = ["avg", "p50", "p99"];
/** Metrics that are shown before all of them are asked for, if there are many. */
const FEW = 12;
const MANY = 18;
let filter = null;
let more = null;
let isWhole = false;
let current = null;

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
    more = make("button", "more-rows");
    more.type = "button";
    more.addEventListener("click", () => { isWhole = !isWhole; showMetrics(current); });
    const made = table(["Metric", ...STATISTICS, "count"], [], ["Metric", ...NARROW]);
    place.append(make("div", "head", make("h2", "", "All metrics"), filter), made.scroll, more);
    built.set("metrics", made.body);
  }
  current = snapshot;
  const wanted = filter.value.trim().toLowerCase();
  const found = snapshot.metrics.filter((row) => `${row.header} ${row.tag}`.toLowerCase().includes(wanted));
  const rows = isWhole || wanted || found.length <= MANY ? found : found.slice(0, FEW);
  more.hidden = wanted !== "" || found.length <= MANY;
  say(more, isWhole ? "Show fewer" : `Show all ${found.length}`);
  fill(built.get("metrics"), rows.map((row) => [
    `${row.header}${row.unit ? `, ${row.unit}` : ""}`,
    ...STATISTICS.map((name) => [NARROW.includes(name) ? "" : "wide", number(row[name])]), ["soft wide", count(row.count)],
  ]));
}
