// Writes the artifact folder of a run that never happened, to measure reports of large runs.
// usage: node make_run.mjs COUNT FOLDER

import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [count, folder] = [Number(process.argv[2]), process.argv[3]];
const START = 1_700_000_000_000;
const PER_SECOND = 2_000;

// The same numbers each time (Mulberry32).
let state = 42;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const ms = (value) => Math.round(value * 1e6) / 1e6;
const epoch = (at) => `${START + Math.floor(at)}${String(Math.round((at % 1) * 1e6)).padStart(6, "0")}`;

mkdirSync(folder, { recursive: true });
const file = createWriteStream(join(folder, "profile_export.jsonl"), { highWaterMark: 1 << 22 });
let at = 0;
let lines = [];
for (let index = 0; index < count; index += 1) {
  at += -Math.log(1 - random()) * (1000 / PER_SECOND);
  const output = Math.max(2, Math.round(120 + 40 * normal()));
  const input = Math.max(16, Math.round(800 + 300 * normal()));
  const ttft = ms(60 * Math.exp(0.45 * normal()) + input * 0.05);
  const itl = ms(9 * Math.exp(0.12 * normal()));
  const latency = ms(ttft + itl * (output - 1));
  const lag = ms(0.05 * -Math.log(1 - random()));
  const failed = random() < 0.002;
  const metadata = `"metadata":{"session_num":${index},"x_request_id":"r${index}","credit_issued_ns":${epoch(at)},"request_start_ns":${epoch(at + lag)},"request_ack_ns":${epoch(at + lag + ttft / 2)},"request_end_ns":${epoch(at + lag + (failed ? 5 : latency))},"benchmark_phase":"profiling","phase_index":0,"phase_name":"profiling","was_cancelled":false}`;
  const metric = (name, value, unit) => `"${name}":{"value":${value},"unit":"${unit}"}`;
  const metrics = failed
    ? metric("schedule_lag", lag, "ms")
    : [metric("time_to_first_token", ttft, "ms"), metric("inter_token_latency", itl, "ms"), metric("request_latency", latency, "ms"), metric("schedule_lag", lag, "ms"), metric("time_to_first_token_from_due", ms(ttft + lag), "ms"), metric("request_latency_from_due", ms(latency + lag), "ms"), metric("input_sequence_length", input, "tokens"), metric("output_sequence_length", output, "tokens"), `"inter_chunk_latency":{"value":[${Array.from({ length: 8 }, () => ms(itl * Math.exp(0.2 * normal()))).join(",")}],"unit":"ms"}`].join(",");
  const error = failed ? ',"error":{"code":503,"type":"Service Unavailable","message":"overloaded"}' : "";
  lines.push(`{${metadata},"metrics":{${metrics}}${error}}\n`);
  if (lines.length === 20_000) {
    if (!file.write(lines.join(""))) await new Promise((resolve) => file.once("drain", resolve));
    lines = [];
  }
}
file.end(lines.join(""));
await new Promise((resolve) => file.once("close", resolve));
const end = at + 2_000;
writeFileSync(join(folder, "profile_export_aiperf.json"), JSON.stringify({
  aiperf_version: "made", benchmark_id: "made", is_complete: true, validity: [],
  input_config: { models: { items: [{ name: "made-model" }] }, endpoint: { type: "chat", urls: ["http://localhost:8000"], streaming: true }, phases: [{ kind: "profiling", type: "poisson", rate: PER_SECOND }], slos: { time_to_first_token: 200, inter_token_latency: 12 } },
  phase_accounting: [{ phase_name: "profiling", start_ns: START * 1e6, end_ns: Math.round(START * 1e6 + end * 1e6) }],
  steady_state: { reached: false, reason: "not assessed" },
}));
