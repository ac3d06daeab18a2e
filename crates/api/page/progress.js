// How far the run is: the lines of start-up, the phases, the runs of a sweep.

import { byId, fill, make, say, table, width } from "./dom.js";
import { count, duration, milliseconds, number, percent } from "./format.js";

const STAGES = { tokenizer: "Tokenizer", dataset: "Data set", endpoint: "Endpoint", telemetry: "Telemetry", warmup: "Warm-up" };
const stages = new Map();

export function showStages(snapshot) {
  const place = byId("stages");
  // Start-up is of interest until the measured phase has begun.
  place.hidden = snapshot.state !== "preparing" && snapshot.state !== "warmup" && !snapshot.stages.some((stage) => stage.state.is === "failed");
  if (place.hidden) return;
  if (place.children.length === 0) place.append(make("h2", "", "Start-up"), make("ol"));
  const list = place.lastElementChild;
  for (const stage of snapshot.stages) {
    let row = stages.get(stage.name);
    if (!row) {
      row = { text: make("span", "soft"), time: make("span", "soft number") };
      row.item = make("li", "", make("span", "mark"), make("span", "", STAGES[stage.name] ?? stage.name), row.text, row.time);
      stages.set(stage.name, row);
      list.append(row.item);
    }
    const { is, done, of } = stage.state;
    row.item.className = is;
    const progress = is === "working" && of > 0 ? ` ${count(done)} of ${count(of)}` : "";
    say(row.text, (stage.text || { waiting: "waiting", skipped: "not needed", done: "ready", failed: "failed", working: "working" }[is]) + progress);
    say(row.time, is === "waiting" || is === "skipped" ? "" : `${stage.seconds.toFixed(1)} s`);
  }
}

const phases = [];

export function showPhases(snapshot) {
  const place = byId("phases");
  place.hidden = snapshot.phases.length === 0;
  if (place.children.length === 0) place.append(make("h2", "", "Phases"));
  snapshot.phases.forEach((phase, at) => {
    phases[at] ??= newPhase(place);
    const row = phases[at];
    row.element.className = `phase ${phase.state}`;
    row.element.hidden = false;
    say(row.name, phase.name);
    row.track.classList.toggle("unknown", phase.share === null && phase.state !== "waiting" && phase.state !== "complete");
    width(row.done, phase.state === "complete" ? 1 : phase.share ?? (phase.state === "waiting" ? 0 : 1));
    say(row.eta, eta(phase));
    say(row.counts, phase.state === "waiting" ? "" : counts(phase));
  });
  phases.slice(snapshot.phases.length).forEach((row) => { row.element.hidden = true; });
}

function newPhase(place) {
  const row = { name: make("span"), done: make("div"), eta: make("span", "eta"), counts: make("div", "counts") };
  row.track = make("div", "track", row.done);
  row.element = make("div", "phase", row.name, row.track, row.eta, row.counts);
  place.append(row.element);
  return row;
}

function eta(phase) {
  if (phase.state === "waiting") return "waiting";
  if (phase.state === "complete") return `took ${duration(phase.elapsed)}`;
  if (phase.state === "draining") return "last responses";
  return phase.eta === null ? duration(phase.elapsed) : `${duration(phase.eta)} left`;
}

function counts(phase) {
  const parts = [`${count(phase.returned)}${phase.expected_requests ? ` of ${count(phase.expected_requests)}` : ""} returned`, `${count(phase.in_flight)} in flight`];
  if (phase.expected_sessions) parts.push(`${count(phase.sessions_completed)} of ${count(phase.expected_sessions)} sessions`);
  if (phase.duration) parts.push(`${duration(Math.min(phase.elapsed, phase.duration))} of ${duration(phase.duration)}`);
  if (phase.failed) parts.push(`${count(phase.failed)} failed`);
  if (phase.cancelled) parts.push(`${count(phase.cancelled)} cancelled`);
  return parts.join(" · ");
}

let sweep = null;

export function showSweep(snapshot) {
  const place = byId("sweep");
  place.hidden = !snapshot.sweep;
  if (place.hidden) return;
  if (!sweep) {
    sweep = { title: make("h2"), table: table(["Run", "State", "Requests/s", "Output tok/s", "TTFT p50", "TTFT p99", "ITL p50", "Latency p50", "Latency p99", "Errors"]) };
    place.append(sweep.title, sweep.table.scroll);
  }
  const { done, total, cells, eta } = snapshot.sweep;
  say(sweep.title, `${done} of ${total} runs done${eta === null ? "" : `, about ${duration(eta)} left`}`);
  fill(sweep.table.body, cells.map((cell) => [
    cell.name, ["soft", cell.state], number(cell.requests_per_second), number(cell.output_tokens_per_second), milliseconds(cell.ttft_p50), milliseconds(cell.ttft_p99),
    milliseconds(cell.itl_p50), milliseconds(cell.latency_p50), milliseconds(cell.latency_p99), percent(cell.error_share),
  ]));
}
