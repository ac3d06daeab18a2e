// Tests of the scripts of the page without a browser: columns, scales, numbers and statistics.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "page");
const files = ["columns.js", "format.js", "scale.js", "statistics.js", "timeline.js", "sweep.js"];
const source = files.map((name) => readFileSync(join(page, name), "utf8")).join("\n");
const names = ["splitPayload", "readVarints", "readColumn", "formatNumber", "formatPercent", "csvText", "niceStep", "linearScale", "logScale", "quantile", "slicePercentiles", "countGood", "neededScales", "assignLanes", "paretoFront", "knee"];
const scripts = vm.runInNewContext(`${source}\n;({ ${names.join(", ")} })`, { TextDecoder, Uint8Array, DataView, Float64Array, Uint32Array, Math, JSON, Number, String });
const plain = (value) => JSON.parse(JSON.stringify(value));

function test(name, body) {
  body();
  console.log(`ok: ${name}`);
}

test("a payload is split into its head and its columns", () => {
  const head = new TextEncoder().encode('{"a":1}');
  const bytes = new Uint8Array([head.length, 0, 0, 0, ...head, 7, 8]);
  const { head: read, columns } = scripts.splitPayload(bytes);
  assert.equal(read.a, 1);
  assert.deepEqual([...columns], [7, 8]);
});

test("varints have seven bits in a byte", () => {
  assert.deepEqual([...scripts.readVarints(new Uint8Array([0, 127, 0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]), 4)], [0, 127, 300, 2 ** 39 - 1]);
});

test("nanoseconds come back as milliseconds, and absent values as NaN", () => {
  const values = scripts.readColumn(new Uint8Array([0, 0xc1, 0x84, 0x3d]), { at: 0, bytes: 4, coding: "nanos" }, 2);
  assert.ok(Number.isNaN(values[0]));
  assert.equal(values[1], 1);
});

test("logarithms come back within their step", () => {
  const steps = 100;
  const code = Math.round(Math.log(43.9 / 1e-6) * steps) + 2;
  const base = code - 2 - 5;
  const values = scripts.readColumn(new Uint8Array([0, 1, code - base, 0, 0, (code - base) >> 8]), { at: 0, bytes: 6, coding: "log", planes: 2, base, steps, smallest: 1e-6 }, 3);
  assert.ok(Number.isNaN(values[0]));
  assert.equal(values[1], 0);
  assert.ok(Math.abs(values[2] / 43.9 - 1) < 0.0051, values[2]);
});

test("percentiles interpolate between neighbours", () => {
  assert.equal(scripts.quantile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(scripts.quantile([10], 0.99), 10);
  const column = Float64Array.from([3, 1, 2, NaN, 10, 20]);
  assert.deepEqual(plain(scripts.slicePercentiles(column, [0, 4, 4, 6], [0.5, 1])), [[2, null, 15], [3, null, 20]]);
});

test("a request is good if it meets every limit and has every value", () => {
  const limits = [{ column: [1, 5, NaN, 2], limit: 4, atLeast: false }, { column: [9, 9, 9, 1], limit: 3, atLeast: true }];
  assert.equal(scripts.countGood(limits, 0, 4), 1);
  const needed = [...scripts.neededScales(limits, 4)];
  assert.deepEqual(needed.slice(0, 2), [1 / 3, 1.25]);
  assert.equal(needed[2], Infinity);
  assert.equal(needed[3], 3);
});

test("scales have round ticks and map both ways", () => {
  const linear = scripts.linearScale([0, 97], [0, 970], 5);
  assert.deepEqual(plain(linear.ticks), [0, 20, 40, 60, 80]);
  assert.equal(linear.back(linear.at(33)), 33);
  const log = scripts.logScale([1, 1000], [0, 300]);
  assert.ok(Math.abs(log.at(10) - 100) < 1e-9);
  assert.ok(Math.abs(log.back(200) - 100) < 1e-9);
  assert.ok(scripts.linearScale([5, 5], [0, 10]).ticks.length > 0);
});

test("numbers are short and CSV is quoted", () => {
  assert.equal(scripts.formatNumber(1234567), "1,234,567");
  assert.equal(scripts.formatNumber(0.01234), "0.0123");
  assert.equal(scripts.formatNumber(NaN), "–");
  assert.equal(scripts.formatPercent(0.9999), "99.99 %");
  assert.equal(scripts.csvText(["a", "b"], [['say "hi", now', null]]), 'a,b\n"say ""hi"", now",\n');
});

test("a request takes the lowest free lane", () => {
  const { lanes, laneCount } = scripts.assignLanes([0, 1, 2, 3.5], [2, 5, 1, 1]);
  assert.deepEqual([...lanes], [0, 1, 0, 0]);
  assert.equal(laneCount, 2);
});

test("the front has the points that no other beats, and the knee the bend", () => {
  const points = [{ x: 1, y: 10 }, { x: 2, y: 8 }, { x: 1.5, y: 7 }, { x: 3, y: 1 }];
  assert.deepEqual(plain(scripts.paretoFront(points)), [{ x: 1, y: 10 }, { x: 2, y: 8 }, { x: 3, y: 1 }]);
  assert.deepEqual(plain(scripts.knee([{ x: 1, y: 1 }, { x: 4, y: 9 }, { x: 8, y: 10 }])), { x: 4, y: 9 });
  assert.equal(scripts.knee([{ x: 1, y: 1 }, { x: 2, y: 2 }, { x: 3, y: 3 }]), null);
});
