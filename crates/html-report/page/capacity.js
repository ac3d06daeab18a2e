// R17 and R18: the result of a search for a capacity, and every decision that led to it.

// Points of loads that are almost equal become one.
function measuredLevels(curve) {
  const levels = [];
  for (const point of curve) {
    const last = levels[levels.length - 1];
    if (last && point.level <= last.level * 1.005) {
      last.violations = last.violations.map((count, slo) => count + point.shares[slo] * point.requests);
      last.requests += point.requests;
    } else {
      levels.push({ level: point.level, requests: point.requests, violations: point.shares.map((share) => share * point.requests) });
    }
  }
  return levels.filter((level) => level.requests > 0).map((level) => ({ ...level, shares: level.violations.map((count) => count / level.requests) }));
}

function capacityChart(head) {
  const found = head.capacity;
  if (!found) return null;
  const levels = measuredLevels(found.curve);
  if (levels.length === 0) return null;
  const known = found.interval;
  const binding = found.binding ?? 0;
  const slo = found.slos[binding];
  const share = (level) => level.shares[binding];
  const series = [];
  if (known && found.slope) {
    const odds = (p) => Math.log(p / (1 - p));
    const at = (level, capacity) => 1 / (1 + Math.exp(-(odds(slo.allowed_share) + found.slope * Math.log(level / capacity))));
    const [low, high] = [known.low * 0.7, known.high * 1.3];
    const x = Array.from({ length: 80 }, (_, index) => low * (high / low) ** (index / 79));
    series.push({ name: "Fitted", mark: "c1", unit: "%", x, y: x.map((level) => at(level, found.median) * 100), low: x.map((level) => at(level, known.high) * 100), high: x.map((level) => at(level, known.low) * 100) });
  }
  // Far above the capacity nearly all requests violate the objective, and the rest would be a flat line.
  const near = known ? levels.filter((level) => level.level > known.low * 0.5 && level.level < known.high * 1.4) : levels;
  series.push({ name: "Measured", mark: "c2", kind: "dashed", points: true, unit: "%", x: near.map((level) => level.level), y: near.map((level) => share(level) * 100) });
  const rules = [{ value: slo.allowed_share * 100, text: `${formatPercent(slo.allowed_share)} allowed` }];
  if (known) rules.push({ value: known.estimate, vertical: true, onTop: true, text: `Capacity ${formatNumber(known.estimate)}` });
  const answer = known
    ? `${formatNumber(known.estimate)} ${found.unit}, 95 % interval ${formatNumber(known.low)} to ${formatNumber(known.high)} (±${formatNumber(known.precision * 100)} %).`
    : "The capacity is not known.";
  const verified = found.verification ? ` The lower end was measured once more: ${formatPercent(found.verification.violation_share)} of ${formatNumber(found.verification.requests)} new requests violated ${found.verification.slo}.` : "";
  return chart({
    id: "R17",
    title: "Capacity",
    wide: true,
    about: `${answer} ${found.reason}${verified} Share of requests that violate ${slo.name} (limit ${formatWithUnit(slo.limit, slo.unit)}) at each load. The shaded span is the interval. The fitted curve has the middle of the interval, and its band the two ends; the reported capacity is at most 2 % above the lower end.`,
    legend: [...series.map((line) => ({ name: line.name, mark: line.mark, kind: line.kind ?? "line" })), { name: "Allowed share", mark: "rule", kind: "dashed" }],
    note: found.warnings.map((warning) => warning.text).join(" "),
    draw: (width) => lineChart(width, { series, xLabel: `Load (${found.unit})`, yLabel: "Requests that violate the objective (%)", fromZero: true, rules, xName: "Load", xUnit: found.unit, shade: known ? { from: known.low, to: known.high, name: "95 % interval of the capacity" } : null }),
    table: () => ({ columns: [`load (${found.unit})`, "requests", ...found.slos.map((one) => `violate ${one.name} (share)`)], rows: levels.map((level) => [level.level, level.requests, ...level.shares]) }),
  });
}

function decisionsChart(head) {
  const found = head.capacity;
  if (!found || found.decisions.length === 0) return null;
  const columns = ["step", "at (s)", "why", "load", "purpose", "requests", "violations", "known before"];
  const row = (one) => [one.step, one.measured ? Math.round(one.measured.started_s * 10) / 10 : null, one.sentence, one.load, one.purpose, one.measured ? one.measured.requests : null, one.measured ? formatPercent(Math.max(0, ...one.measured.violation_shares)) : null, one.known ? `${formatNumber(one.known.estimate)} (${formatNumber(one.known.low)} to ${formatNumber(one.known.high)})` : null];
  const rows = found.decisions.map(row);
  return chart({
    id: "R18",
    title: "Decisions of the search",
    wide: true,
    about: "What was measured at each step, and why. Each decision follows from the steps before it.",
    draw: () => [el("div", { class: "table-box" }, table(columns, rows))],
    table: () => ({ columns, rows }),
  });
}
