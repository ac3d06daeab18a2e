// From values to places on an axis, and the values at which an axis has ticks.

function niceStep(span, count) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function linearScale([low, high], [from, to], count = 6) {
  let [start, end] = [low, high];
  if (!(end > start)) {
    const room = Math.abs(start) > 0 ? Math.abs(start) * 0.1 : 1;
    [start, end] = [start - room, end + room];
  }
  const step = niceStep(end - start, count);
  const ticks = [];
  for (let tick = Math.ceil(start / step - 1e-9) * step; tick <= end + step * 1e-9; tick += step) {
    ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  }
  const at = (value) => from + ((value - start) / (end - start)) * (to - from);
  const back = (place) => start + ((place - from) / (to - from)) * (end - start);
  return { at, back, ticks, format: (tick) => formatTick(tick, step), domain: [start, end], log: false };
}

// Ticks at 1, 2 and 5 of each decade; over many decades only at 1.
function logScale([low, high], [from, to]) {
  let [start, end] = [Math.max(low, 1e-12), Math.max(high, 1e-12)];
  if (end / start < 1.05) [start, end] = [start / 1.5, end * 1.5];
  const decades = Math.log10(end / start);
  const factors = decades > 4 ? [1] : decades > 2 ? [1, 3] : decades > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  const ticks = [];
  for (let power = Math.floor(Math.log10(start)); power <= Math.ceil(Math.log10(end)); power += 1) {
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= start * (1 - 1e-9) && tick <= end * (1 + 1e-9)) ticks.push(tick);
    }
  }
  if (ticks.length < 2) ticks.splice(0, ticks.length, start, Math.sqrt(start * end), end);
  const ratio = Math.log(end / start);
  const at = (value) => from + (Math.log(Math.max(value, 1e-12) / start) / ratio) * (to - from);
  const back = (place) => start * Math.exp(((place - from) / (to - from)) * ratio);
  return { at, back, ticks, format: (tick) => formatNumber(tick), domain: [start, end], log: true };
}

// The same scale with ticks at given values.
function withTicks(scale, ticks) {
  return { ...scale, ticks, format: (tick) => formatNumber(tick) };
}

function extent(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const value of list) {
      if (value === null || Number.isNaN(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 1];
}
