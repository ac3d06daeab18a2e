//! Swim lanes as a page: drawn on a canvas, so that it stays quick with many requests. The wheel zooms at the pointer, dragging moves,
//! a double click shows everything again, and the request under the pointer is described.

use serde_json::{Value, json};

use crate::html::{escaped, json_in_script, page};
use crate::slots::slots;

use super::SwimLanes;

const STYLE: &str = "\
body { margin: 1rem; font: 14px/1.4 system-ui, sans-serif; color: #111; background: #fff; }
h1 { font-size: 1.2rem; margin: 0 0 .3rem; }
p { margin: .2rem 0; color: #444; }
canvas { width: 100%; display: block; border: 1px solid #bbb; cursor: crosshair; }
#about { min-height: 1.4em; font-variant-numeric: tabular-nums; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } p { color: #bbb; } canvas { background: #fff; } }
";

const SCRIPT: &str = r"
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const canvas = document.getElementById('lanes'), about = document.getElementById('about');
const colours = ['#1f77b4','#ff7f0e','#2ca02c','#9467bd','#8c564b','#e377c2','#7f7f7f','#bcbd22','#17becf'];
const left = 50, bottom = 30, counts = 140;
let from = 0, to = data.length, rows = [0, data.slots];
const bySlot = Array.from({length: data.slots}, () => []);
for (const request of data.requests) bySlot[request[0]].push(request);
const steps = [];
for (const r of data.requests) steps.push([r[3], 1], [r[4], -1]);
steps.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
function size() {
  const scale = window.devicePixelRatio || 1, height = Math.max(260, Math.min(data.slots * 26, window.innerHeight - 330)) + counts + bottom;
  canvas.style.height = height + 'px';
  canvas.width = canvas.clientWidth * scale; canvas.height = height * scale;
  const pen = canvas.getContext('2d'); pen.setTransform(scale, 0, 0, scale, 0, 0);
  return [pen, canvas.clientWidth, height];
}
function draw() {
  const [pen, width, height] = size(), lanes = height - counts - bottom, row = lanes / (rows[1] - rows[0]);
  const x = t => left + (t - from) / (to - from) * (width - left - 8);
  pen.clearRect(0, 0, width, height); pen.font = '11px system-ui'; pen.fillStyle = '#111';
  const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough * 0.999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  pen.textAlign = 'center';
  for (let i = Math.ceil(from / step); i * step <= to; i++) pen.fillText((i * step).toFixed(digits) + ' s', Math.min(x(i * step), width - 24), height - 10);
  pen.textAlign = 'start';
  for (let slot = Math.floor(rows[0]); slot < rows[1]; slot++) {
    const top = (slot - rows[0]) * row;
    pen.fillStyle = '#f0f0f0'; pen.fillRect(left, top + 1, width - left - 8, Math.max(row - 2, 1));
    let before = null;
    for (const r of bySlot[slot] || []) {
      if (r[4] < from || r[3] > to) { before = r; continue; }
      const colour = colours[r[1] % colours.length], a = Math.max(x(r[3]), left), b = Math.max(x(r[4]), a + 0.7);
      if (before && before[1] === r[1]) { pen.globalAlpha = 0.28; pen.fillStyle = colour; const g = Math.max(x(before[4]), left); pen.fillRect(g, top + 1, a - g, Math.max(row - 2, 1)); }
      pen.globalAlpha = 1; pen.fillStyle = r[8] === 'completed' ? colour : '#c00'; pen.fillRect(a, top + 1, b - a, Math.max(row - 2, 1));
      if (!before || before[1] !== r[1]) { pen.fillStyle = '#000'; pen.fillRect(a, top, 1, row); }
      before = r;
    }
    pen.globalAlpha = 1; pen.fillStyle = '#111';
    if (row > 11 || slot % Math.ceil(12 / row) === 0) pen.fillText(String(slot), 8, top + row / 2 + 4);
  }
  const floor = height - bottom, most = Math.max(data.slots, data.concurrency || 0) * 1.1;
  let count = 0, at = from; pen.fillStyle = '#2196f3';
  for (const [t, change] of steps) {
    if (t > from && count > 0) { pen.globalAlpha = 0.4; const a = x(Math.max(at, from)), b = x(Math.min(t, to)); if (b > a) pen.fillRect(a, floor - count / most * (counts - 20), b - a, count / most * (counts - 20)); }
    count += change; at = t;
    if (t > to) break;
  }
  pen.globalAlpha = 1; pen.fillStyle = '#111'; pen.fillText('in flight', 2, floor - counts + 34);
  if (data.concurrency) { pen.fillStyle = '#e61e1e'; pen.fillRect(left, floor - data.concurrency / most * (counts - 20), width - left - 8, 1); }
}
function place(event) {
  const box = canvas.getBoundingClientRect(), lanes = box.height - counts - bottom;
  return [from + (event.clientX - box.left - left) / (box.width - left - 8) * (to - from), Math.floor(rows[0] + (event.clientY - box.top) / lanes * (rows[1] - rows[0]))];
}
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const [t] = place(event), factor = event.deltaY > 0 ? 1.25 : 0.8, span = Math.min((to - from) * factor, data.length);
  from = Math.max(0, t - (t - from) / (to - from) * span); to = Math.min(data.length, from + span); draw();
}, {passive: false});
let grip = null;
canvas.addEventListener('pointerdown', event => { grip = [event.clientX, from, to]; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener('pointerup', () => { grip = null; });
canvas.addEventListener('pointermove', event => {
  if (grip) {
    const span = grip[2] - grip[1], moved = (event.clientX - grip[0]) / (canvas.clientWidth - left - 8) * span;
    from = Math.min(Math.max(0, grip[1] - moved), data.length - span); to = from + span; draw(); return;
  }
  const [t, slot] = place(event), r = (bySlot[slot] || []).find(r => r[3] <= t && t <= r[4]);
  about.textContent = r ? `slot ${r[0]}, session ${r[1]}, turn ${r[2]}: ${r[3].toFixed(3)} s to ${r[4].toFixed(3)} s (${((r[4] - r[3]) * 1e3).toFixed(1)} ms)` +
    (r[5] === null ? '' : `, first token after ${((r[5] - r[3]) * 1e3).toFixed(1)} ms`) + `, ${r[6] ?? '?'} input and ${r[7] ?? '?'} output tokens, ${r[8]}, ${r[9]}` : '';
});
canvas.addEventListener('dblclick', () => { from = 0; to = data.length; draw(); });
window.addEventListener('resize', draw);
draw();
";

pub(super) fn html(lanes: &SwimLanes) -> String {
    let slots = slots(&lanes.requests);
    let mut requests: Vec<Value> = Vec::new();
    for (number, slot) in slots.iter().enumerate() {
        for session in &slot.sessions {
            for request in &session.requests {
                requests.push(json!([
                    number,
                    session.number,
                    request.turn,
                    lanes.seconds(request.start),
                    lanes.seconds(request.end),
                    request.first_token.map(|at| lanes.seconds(at)),
                    request.input_tokens,
                    request.output_tokens,
                    request.ending.name(),
                    request.conversation,
                ]));
            }
        }
    }
    let data = json!({
        "length": lanes.length().max(1e-9),
        "slots": slots.len(),
        "concurrency": lanes.concurrency,
        "requests": requests,
    });
    let body = format!(
        "<h1>{}</h1>\n<p>One row for each session slot. A dark bar is a request, a pale one the time between two turns; red requests did not complete. \
         Turn the wheel to zoom, drag to move, double-click to see everything.</p>\n<p id=\"about\"></p>\n<canvas id=\"lanes\"></canvas>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n",
        escaped(&lanes.name),
        json_in_script(&data)
    );
    page(&format!("{}: swim lanes", lanes.name), STYLE, &body)
}
