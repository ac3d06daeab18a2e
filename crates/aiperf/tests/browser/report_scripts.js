// Tests of the scripts of a report: columns, scales, numbers and statistics. `report_scripts.py` runs them in Chromium, in one
// scope with the scripts. The result is the list of what failed.

const failures = [];
const plain = (value) => JSON.stringify(value, (_, one) => (Number.isNaN(one) ? "NaN" : one === Infinity ? "Infinity" : one));

function test(name, body) {
  const check = (holds, message) => {
    if (!holds) failures.push(`${name}: ${message}`);
  };
  try {
    body({ ok: check, same: (found, expected) => check(plain(found) === plain(expected), `${plain(found)} is not ${plain(expected)}`) });
  } catch (error) {
    failures.push(`${name}: ${error.stack}`);
  }
}

test("a payload is split into its head and its columns", ({ ok, same }) => {
  const head = new TextEncoder().encode('{"a":1}');
  const bytes = new Uint8Array([head.length, 0, 0, 0, ...head, 7, 8]);
  const { head: read, columns } = splitPayload(bytes);
  same(read.a, 1);
  same([...columns], [7, 8]);
});

test("varints have seven bits in a byte", ({ ok, same }) => {
  same([...readVarints(new Uint8Array([0, 127, 0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]), 4)], [0, 127, 300, 2 ** 39 - 1]);
});

test("nanoseconds come back as milliseconds, and absent values as NaN", ({ ok, same }) => {
  const values = readColumn(new Uint8Array([0, 0xc1, 0x84, 0x3d]), { at: 0, bytes: 4, coding: "nanos" }, 2);
  ok(Number.isNaN(values[0]));
  same(values[1], 1);
});

test("logarithms come back within their step", ({ ok, same }) => {
  const steps = 100;
  const code = Math.round(Math.log(43.9 / 1e-6) * steps) + 2;
  const base = code - 2 - 5;
  const values = readColumn(new Uint8Array([0, 1, code - base, 0, 0, (code - base) >> 8]), { at: 0, bytes: 6, coding: "log", planes: 2, base, steps, smallest: 1e-6 }, 3);
  ok(Number.isNaN(values[0]));
  same(values[1], 0);
  ok(Math.abs(values[2] / 43.9 - 1) < 0.0051, values[2]);
});

test("percentiles interpolate between neighbours", ({ ok, same }) => {
  same(quantile([1, 2, 3, 4], 0.5), 2.5);
  same(quantile([10], 0.99), 10);
  const column = Float64Array.from([3, 1, 2, NaN, 10, 20]);
  same(slicePercentiles(column, [0, 4, 4, 6], [0.5, 1]), [[2, null, 15], [3, null, 20]]);
});

test("a request is good if it meets every limit and has every value", ({ ok, same }) => {
  const limits = [{ column: [1, 5, NaN, 2], limit: 4, atLeast: false }, { column: [9, 9, 9, 1], limit: 3, atLeast: true }];
  same(countGood(limits, 0, 4), 1);
  const needed = [...neededScales(limits, 4)];
  same(needed.slice(0, 2), [1 / 3, 1.25]);
  same(needed[2], Infinity);
  same(needed[3], 3);
});

test("a part of the requests tells how many of all are good", ({ ok, same }) => {
  same(sampleSpread(0, 100, 0.5), 0);
  same(sampleSpread(50, 100, 1), 0);
  ok(Math.abs(sampleSpread(125000, 250000, 0.25) - 1.96 * 250 * Math.sqrt(0.75)) < 1e-6, sampleSpread(125000, 250000, 0.25));
});

test("scales have round ticks and map both ways", ({ ok, same }) => {
  const linear = linearScale([0, 97], [0, 970], 5);
  same(linear.ticks, [0, 20, 40, 60, 80]);
  same(linear.back(linear.at(33)), 33);
  const log = logScale([1, 1000], [0, 300]);
  ok(Math.abs(log.at(10) - 100) < 1e-9);
  ok(Math.abs(log.back(200) - 100) < 1e-9);
  ok(linearScale([5, 5], [0, 10]).ticks.length > 0);
});

test("numbers are short and CSV is quoted", ({ ok, same }) => {
  same(formatNumber(1234567), "1,234,567");
  same(formatNumber(0.01234), "0.0123");
  same(formatNumber(NaN), "–");
  same(formatPercent(0.9999), "99.99 %");
  same([1, 2, 3, 4, 11, 22, 112].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd", "112th"]);
  same(csvText(["a", "b"], [['say "hi", now', null]]), 'a,b\n"say ""hi"", now",\n');
});

test("a request takes the lowest free lane", ({ ok, same }) => {
  const { lanes, laneCount } = assignLanes([0, 1, 2, 3.5], [2, 5, 1, 1]);
  same([...lanes], [0, 1, 0, 0]);
  same(laneCount, 2);
});

test("the front has the points that no other beats, and the knee the bend", ({ ok, same }) => {
  const points = [{ x: 1, y: 10 }, { x: 2, y: 8 }, { x: 1.5, y: 7 }, { x: 3, y: 1 }];
  same(paretoFront(points), [{ x: 1, y: 10 }, { x: 2, y: 8 }, { x: 3, y: 1 }]);
  same(knee([{ x: 1, y: 1 }, { x: 4, y: 9 }, { x: 8, y: 10 }]), { x: 4, y: 9 });
  same(knee([{ x: 1, y: 1 }, { x: 2, y: 2 }, { x: 3, y: 3 }]), null);
});

failures;
