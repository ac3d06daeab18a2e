// The end of the run with its files, and the list of what happened.

import { byId, fill, make, say, table } from "./dom.js";
import { bytes, clock, count, duration, number } from "./format.js";

let shownEnd = null;

export function showResult({ snapshot, run, gone }) {
  const { result } = snapshot;
  const place = byId("result");
  place.hidden = !result;
  if (!result) return;
  const now = JSON.stringify([result, gone]);
  if (now === shownEnd) return;
  shownEnd = now;
  const words = { complete: "The run is complete", failed: "The run failed", cancelled: "The run was cancelled" }[result.outcome] ?? "The run has ended";
  const parts = [make("div", "outcome", `${words}${result.duration ? ` after ${duration(result.duration)}` : ""}`)];
  if (result.reason) parts.push(make("p", "", result.reason));
  if (result.notes.length > 0) {
    const chips = result.notes.map((note) => make("span", "chip", note));
    parts.push(make("p", "notes soft", "Validity notes: ", ...chips, " profile_export_console.txt explains them."));
  }
  if (result.rows.length > 0) {
    const { scroll, body } = table(["Result", "avg", "p50", "p99", "unit"], ["unit"]);
    fill(body, result.rows.map((row) => [row.header, number(row.avg), number(row.p50), number(row.p99), ["text soft", row.unit]]));
    scroll.classList.add("rows");
    parts.push(scroll);
  }
  const files = make("div", "files");
  for (const file of result.files) {
    const link = make("a", "", make("span", "", file.path), make("span", "soft", file.bytes === undefined ? file.label : bytes(file.bytes)));
    link.title = file.label;
    if (gone) link.setAttribute("aria-disabled", "true");
    else {
      link.href = `api/results/files/${file.path.split("/").map(encodeURIComponent).join("/")}`;
      link.setAttribute("download", "");
    }
    files.append(link);
  }
  if (result.files.length > 0) parts.push(files);
  if (run?.artifact_dir) parts.push(make("p", "soft", `Folder: ${run.artifact_dir}`));
  place.replaceChildren(...parts);
}

/** One line of words for an event; null for those that say nothing to people. */
function words(event) {
  const phase = event.phase?.name;
  switch (event.event) {
    case "stage": return event.stage.state.is === "working" ? null : ["start-up", `${event.stage.name}: ${event.stage.text || event.stage.state.is}`, event.stage.state.is];
    case "run_start": return ["run", `Run ${event.benchmark_id} starts`, ""];
    case "phase_start": return ["phase", `${phase} starts`, ""];
    case "phase_sending_complete": return ["phase", `${phase}: everything was sent`, ""];
    case "phase_complete": return ["phase", `${phase} is complete: ${count(event.phase.returned)} requests, ${count(event.phase.failed)} failed`, ""];
    case "error": return ["error", `${event.error.status ?? ""} ${event.error.kind}: ${event.error.excerpt}`.trim(), "ERROR"];
    case "verdict": return ["verdict", event.verdict.sentence, "verdict"];
    case "cell_done": return ["sweep", `${event.cell.name}: ${event.cell.state}`, ""];
    case "log": return [event.line.level.toLowerCase(), event.line.message, event.line.level];
    case "records_complete": return ["records", `${count(event.records)} records are complete`, ""];
    case "run_end": return ["run", `The run has ended: ${event.result.outcome}`, event.result.outcome];
    default: return [event.event, "", ""];
  }
}

let shownUpTo = 0;
const MOST_LINES = 500;

export function showEvents(events) {
  const place = byId("log");
  place.hidden = events.length === 0;
  if (place.children.length === 0) place.append(newHead(), make("div", "lines quiet"));
  const lines = place.lastElementChild;
  const atEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 30;
  for (const event of events) {
    if (event.seq <= shownUpTo) continue;
    shownUpTo = event.seq;
    const told = words(event);
    if (!told) continue;
    const time = make("time", "", clock(event.at_ns));
    lines.append(make("div", told[2], time, make("span", "kind", told[0]), make("span", "", told[1])));
  }
  while (lines.children.length > MOST_LINES) lines.firstElementChild.remove();
  if (atEnd) lines.scrollTop = lines.scrollHeight;
}

/** The log repeats much of what the events say: its lines are shown if they are wanted, warnings and errors always. */
function newHead() {
  const button = make("button", "", "Show log");
  button.type = "button";
  button.addEventListener("click", () => {
    const lines = byId("log").lastElementChild;
    const isQuiet = lines.classList.toggle("quiet");
    say(button, isQuiet ? "Show log" : "Hide log");
    lines.scrollTop = lines.scrollHeight;
  });
  return make("div", "head", make("h2", "", "Events"), button);
}
