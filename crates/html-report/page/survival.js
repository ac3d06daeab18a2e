// The share of requests that took longer than x, both axes logarithmic.

function survivalDrawing(width, curves, rules, height = 320) {
  const x = extent([...curves.flatMap((curve) => [curve.x, curve.low, curve.high]), rules.map((rule) => rule.value)]);
  const least = Math.min(...curves.map((curve) => Math.min(...curve.y)));
  const view = frame({
    width,
    height,
    x: (range) => logScale([x[0] * 0.95, x[1] * 1.05], range),
    y: (range) => {
      const scale = logScale([least, 1], range);
      const ticks = [1, 0.5, 0.1, 0.05, 0.01, 0.001, 0.0001, 0.00001, 0.000001].filter((tick) => tick >= least * 0.99);
      return { ...scale, ticks, format: (tick) => (tick === 1 ? "100 %" : tick === 0.5 ? "50 %" : `${formatNumber(tick * 100)} %`) };
    },
    xLabel: "Time (ms), logarithmic",
    yLabel: "Requests that took longer, whole run",
  });
  for (const curve of curves) {
    // The band lies sideways: intervals are of the percentile, which is on the x axis.
    const there = curve.y.map((_, index) => index).filter((index) => curve.low[index] !== null && curve.low[index] !== undefined);
    if (there.length > 1) {
      const left = there.map((index) => `${view.x.at(curve.low[index]).toFixed(1)} ${view.y.at(curve.y[index]).toFixed(1)}`);
      const right = there.toReversed().map((index) => `${view.x.at(curve.high[index]).toFixed(1)} ${view.y.at(curve.y[index]).toFixed(1)}`);
      view.plot.append(svg("path", { class: `band ${curve.mark}`, d: `M${left.join("L")}L${right.join("L")}Z` }));
    }
    view.plot.append(svg("path", { class: `line ${curve.mark} ${curve.kind ?? ""}`, d: linePath(curve.x, curve.y, view.x.at, view.y.at) }));
  }
  rules.forEach((rule, index) => {
    const at = view.x.at(rule.value);
    const fromRight = at > width * 0.6;
    view.plot.append(
      svg("line", { class: "rule", x1: at, x2: at, y1: view.room.top, y2: height - view.room.bottom }),
      svg("text", { class: "rule-name", x: fromRight ? at - 5 : at + 5, y: height - view.room.bottom - 8 - index * 15, "text-anchor": fromRight ? "end" : "start", text: rule.text }));
  });
  const points = curves.flatMap((curve) => curve.x.map((value, index) => ({ curve, value, share: curve.y[index], at: [view.x.at(value), view.y.at(curve.y[index])] })));
  view.node.addEventListener("pointermove", (event) => {
    const box = view.node.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const closest = points.reduce((best, point) => {
      const distance = (point.at[0] - px) ** 2 + (point.at[1] - py) ** 2;
      return distance < best.distance ? { point, distance } : best;
    }, { distance: Infinity });
    if (closest.distance > 1600) return tip.hide();
    show(closest.point, event);
  });
  const show = ({ curve, value, share }, event) => tip.show(event, [curve.label, `${formatPercent(share)} took longer than ${formatWithUnit(value, curve.unit)}`]);
  view.node.addEventListener("pointerleave", tip.hide);
  view.node.addEventListener("blur", tip.hide);
  put(view.node, { tabindex: 0 });
  let current = -1;
  view.node.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    current = Math.max(0, Math.min(points.length - 1, current + step));
    const box = view.node.getBoundingClientRect();
    show(points[current], { clientX: box.left + points[current].at[0], clientY: box.top + points[current].at[1] });
  });
  return [view.node];
}
