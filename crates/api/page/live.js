// The live page of a run: puts what the feed brings into the sections of the page.

import { byId, say, width } from "./dom.js";
import { follow, known } from "./feed.js";
import { duration } from "./format.js";
import { Histogram, TimeChart } from "./chart.js";
import { showFigures } from "./figures.js";
import { showPhases, showStages, showSweep } from "./progress.js";
import { showClient, showErrors, showGpus, showMetrics, showServer } from "./tables.js";
import { showEvents, showResult } from "./ending.js";

const TITLES = {
  preparing: ["Preparing", "live"], warmup: ["Warm-up", "live"], profiling: ["Profiling", "live"], grace: ["Grace period", "live"],
  processing: ["Processing records", "live"], exporting: ["Writing files", "live"],
  complete: ["Complete", "good"], failed: ["Failed", "bad"], cancelled: ["Cancelled", "warn"],
};

const both = (key) => [
  { name: "p50", colour: "blue", of: (point) => point[key]?.p50 },
  { name: "p99", colour: "orange", of: (point) => point[key]?.p99 },
];
const charts = [
  { chart: new TimeChart("Requests per second", "per second", [{ name: "", colour: "blue", of: (point) => point.requests_per_second }]) },
  { chart: new TimeChart("Output tokens per second", "per second", [{ name: "", colour: "blue", of: (point) => point.output_tokens_per_second }]), needs: (point) => point.output_tokens_per_second > 0 },
  { chart: new TimeChart("In flight", "requests", [{ name: "", colour: "blue", of: (point) => point.in_flight }]) },
  { chart: new TimeChart("Time to first token, ms", "ms", both("ttft")), needs: (point) => point.ttft },
  { chart: new TimeChart("Inter-token latency, ms", "ms", both("itl")), needs: (point) => point.itl },
  { chart: new TimeChart("Request latency, ms", "ms", both("latency")) },
  { chart: new TimeChart("Errors per second", "per second", [{ name: "", colour: "red", of: (point) => point.errors_per_second }]), needs: (point) => point.errors_per_second > 0 },
  { chart: new TimeChart("GPU power, W", "W", [{ name: "", colour: "violet", of: (point) => point.gpu_watts }]), needs: (point) => point.gpu_watts },
];
const histogram = new Histogram("Distribution of latency", [
  { name: "latency", colour: "blue", of: (all) => all.latency },
  { name: "TTFT", colour: "teal", of: (all) => all.ttft },
]);

function showHeader() {
  const { run, snapshot, connected, gone } = known;
  if (run) {
    say(byId("model"), run.models.join(", ") || "aiperf");
    const about = [run.cell, run.load, run.endpoint_type + (run.streaming ? ", streaming" : ""), run.urls.join(", ")].filter(Boolean).join(" · ");
    say(byId("about"), about);
    byId("about").title = run.command_line ?? about;
  }
  const over = Boolean(snapshot?.result);
  const [title, name] = snapshot ? TITLES[snapshot.state] ?? [snapshot.state, ""] : ["Connecting", ""];
  const state = byId("state");
  say(state, connected || over ? title : `${title}, not connected`);
  state.className = `pill ${connected || over ? name : "warn"}`;
  const connection = byId("connection");
  connection.hidden = connected || (over && !gone);
  say(connection, gone
    ? "aiperf has ended. This page keeps the last state; the files are in the artifact folder. --api-linger makes aiperf serve them for longer."
    : "The connection is lost. The run goes on; this page reconnects by itself.");
  if (!snapshot) return;
  const phase = [...snapshot.phases].reverse().find((one) => one.state !== "waiting");
  say(byId("elapsed"), phase ? duration(phase.elapsed) : "");
  const share = over ? 1 : snapshot.sweep ? (snapshot.sweep.done + (phase?.share ?? 0)) / Math.max(snapshot.sweep.total, 1) : phase?.share ?? 0;
  width(byId("overall").firstElementChild, share);
  byId("overall").classList.toggle("over", over && snapshot.state === "complete");
  document.title = `${over ? title : phase?.share ? `${Math.floor(share * 100)} %` : title} – ${run?.models[0] ?? "aiperf"} – aiperf`;
}

function showVerdicts() {
  const place = byId("verdicts");
  const texts = known.snapshot.verdicts.map((verdict) => verdict.sentence);
  if (place.dataset.texts === texts.join("\n")) return;
  place.dataset.texts = texts.join("\n");
  place.replaceChildren(...texts.map((text) => {
    const banner = document.createElement("div");
    banner.className = "banner";
    banner.textContent = text;
    return banner;
  }));
}

function showCharts() {
  const place = byId("charts");
  if (place.children.length === 0) place.append(...charts.map((one) => one.chart.element), histogram.element);
  const { points } = known.history;
  const phase = known.snapshot.phases.find((one) => one.name === known.history.phase);
  for (const { chart, needs } of charts) {
    chart.element.hidden = Boolean(needs) && !points.some(needs);
    if (!chart.element.hidden) chart.show(points, phase?.duration);
  }
  histogram.element.hidden = known.snapshot.latency_histogram.latency.length === 0;
  histogram.show(known.snapshot.latency_histogram);
  place.hidden = points.length === 0;
}

function showCancel() {
  const button = byId("cancel");
  const { snapshot } = known;
  const over = !snapshot || snapshot.result || ["complete", "failed", "cancelled", "exporting", "processing"].includes(snapshot.state);
  button.hidden = Boolean(over);
  button.disabled = !known.connected || cancelling;
  say(button, cancelling ? "Cancelling" : "Cancel run");
}

let cancelling = false;
async function cancel() {
  byId("confirm").close();
  cancelling = true;
  showCancel();
  const answer = await fetch("api/cancel", { method: "POST" }).catch(() => null);
  if (!answer?.ok) cancelling = false;
  showCancel();
}

const parts = {
  run: [showHeader],
  connection: [showHeader, showCancel, () => known.snapshot && showResult(known)],
  event: [() => showEvents(known.events)],
  history: [],
  snapshot: [
    showHeader, showVerdicts, showCancel,
    () => showStages(known.snapshot), () => showPhases(known.snapshot), () => showSweep(known.snapshot),
    () => showFigures(known), showCharts,
    () => showServer(known.snapshot), () => showGpus(known.snapshot), () => showClient(known.snapshot),
    () => showErrors(known.snapshot), () => showMetrics(known.snapshot), () => showResult(known),
  ],
};

// Several messages in one frame are drawn once; a hidden tab draws nothing.
const due = new Set();
function draw() {
  const steps = new Set([...due].flatMap((kind) => parts[kind]));
  due.clear();
  for (const step of steps) step();
}
follow((kind) => {
  if (due.size === 0) requestAnimationFrame(draw);
  due.add(kind);
});
byId("cancel").addEventListener("click", () => byId("confirm").showModal());
byId("keep").addEventListener("click", () => byId("confirm").close());
byId("really").addEventListener("click", cancel);
