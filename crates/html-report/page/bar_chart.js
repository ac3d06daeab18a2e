// Bars: stacked over time, side by side in a histogram, or lying with their parts one after the other.

// `series`: {name, mark, counts}; one bar for each x with all counts on top of each other.
function stackedBars(width, { series, x, step, xLabel, yLabel, height = 240, xDomain, unit = "", names }) {
  const totals = x.map((_, index) => series.reduce((sum, one) => sum + one.counts[index], 0));
  const view = frame({
    width,
    height,
    x: (range) => linearScale(xDomain ?? [x[0], x[x.length - 1] + step], range, width / 110),
    y: (range) => linearScale([0, Math.max(1, ...totals) * 1.05], range, 5),
    xLabel,
    yLabel,
  });
  x.forEach((from, index) => {
    let base = 0;
    for (const one of series) {
      const count = one.counts[index];
      if (!count) continue;
      const [top, bottom] = [view.y.at(base + count), view.y.at(base)];
      const left = view.x.at(from);
      const bar = svg("rect", { class: `bar ${one.mark}`, x: left + 0.5, y: top, width: Math.max(1, view.x.at(from + step) - left - 1), height: Math.max(0.5, bottom - top) });
      bar.addEventListener("pointermove", (event) => tip.show(event, [names?.[index] ?? `${formatNumber(from)} to ${formatNumber(from + step)} ${unit}`.trim(), `${one.name}: ${formatNumber(count)}`]));
      bar.addEventListener("pointerleave", tip.hide);
      view.plot.append(bar);
      base += count;
    }
  });
  return [view.node];
}

// A histogram of what came about, with an outline of what was asked for.
function histogram(width, { start, step, achieved, asked, achievedMean, askedMean, xLabel, height = 220 }) {
  const x = achieved.map((_, index) => start + index * step);
  const most = Math.max(1, ...achieved, ...(asked ?? []));
  const view = frame({
    width,
    height,
    x: (range) => linearScale([start, start + achieved.length * step], range, width / 90),
    y: (range) => linearScale([0, most * 1.08], range, 4),
    xLabel,
    yLabel: "Requests, whole run",
  });
  const base = view.y.at(0);
  x.forEach((from, index) => {
    const [left, right] = [view.x.at(from), view.x.at(from + step)];
    if (achieved[index]) {
      const bar = svg("rect", { class: "bar c1", x: left + 0.5, y: view.y.at(achieved[index]), width: Math.max(1, right - left - 1), height: base - view.y.at(achieved[index]) });
      bar.addEventListener("pointermove", (event) => tip.show(event, [`${formatNumber(from)} to ${formatNumber(from + step)} tokens`, `Achieved: ${formatNumber(achieved[index])} requests`, ...(asked ? [`Asked: ${formatNumber(asked[index])} requests`] : [])]));
      bar.addEventListener("pointerleave", tip.hide);
      view.plot.append(bar);
    }
    if (asked?.[index]) view.plot.append(svg("path", { class: "line c2", d: `M${left} ${base}V${view.y.at(asked[index])}H${right}V${base}` }));
  });
  for (const [value, mark] of [[achievedMean, "c1"], [askedMean, "c2"]]) {
    if (value === null || value === undefined) continue;
    const at = view.x.at(Math.min(Math.max(value, view.x.domain[0]), view.x.domain[1]));
    view.plot.append(svg("line", { class: `line dashed ${mark}`, x1: at, x2: at, y1: view.room.top, y2: base }));
  }
  return [view.node];
}

// One lying bar for each row; `rows`: {name, parts: [value or null]}.
function lyingBars(width, { rows, names, marks, unit, xLabel, yLabel }) {
  const height = 62 + rows.length * 44;
  const totals = rows.map((row) => row.parts.reduce((sum, part) => sum + (part ?? 0), 0));
  const view = frame({
    width,
    height,
    x: (range) => linearScale([0, Math.max(...totals, 1e-9) * 1.12], range, width / 110),
    y: (range) => ({ at: (index) => range[1] + (index + 0.5) * 44, ticks: rows.map((_, index) => index), format: (index) => rows[index].name, domain: [0, rows.length] }),
    xLabel,
    yLabel,
  });
  rows.forEach((row, index) => {
    let base = 0;
    row.parts.forEach((part, place) => {
      if (!part) return;
      const left = view.x.at(base);
      const bar = svg("rect", { class: `bar ${marks[place]}`, x: left, y: view.y.at(index) - 14, width: Math.max(0.5, view.x.at(base + part) - left), height: 28 });
      bar.addEventListener("pointermove", (event) => tip.show(event, [`${row.name}: ${names[place]}`, formatWithUnit(part, unit)]));
      bar.addEventListener("pointerleave", tip.hide);
      view.plot.append(bar);
      base += part;
    });
    view.plot.append(svg("text", { class: "row-name", x: view.x.at(base) + 8, y: view.y.at(index) + 4, text: formatWithUnit(base, unit) }));
  });
  return [view.node];
}
