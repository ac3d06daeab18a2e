// Numbers and times as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const hundredth = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Three significant digits or more; a dash for a missing value. */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return whole.format(value);
  if (size >= 10) return tenth.format(value);
  if (size >= 0.01) return hundredth.format(value);
  return value.toPrecision(2);
}

export function count(value) {
  return value === null || value === undefined ? "–" : whole.format(value);
}

/** A share of 1 as percent. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  return (value === 0 || value >= 99.95 || (value >= 10 && Number.isInteger(value)) ? whole : tenth).format(value) + " %";
}

/** Milliseconds with a unit that fits. */
export function milliseconds(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value >= 10000 ? `${number(value / 1000)} s` : `${number(value)} ms`;
}

/** `1:02:03`, `2:03`, or `3 s`. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  const all = Math.max(0, Math.round(seconds));
  const two = (part) => String(part).padStart(2, "0");
  if (all >= 3600) return `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)}:${two(all % 60)}`;
  if (all >= 60) return `${Math.floor(all / 60)}:${two(all % 60)}`;
  return `${all} s`;
}

/** The time of day of a number of nanoseconds since the epoch. */
export function clock(ns) {
  return new Date(ns / 1e6).toLocaleTimeString("en-GB");
}

export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (value >= 1000 && at < units.length - 1) { value /= 1000; at += 1; }
  return `${at === 0 ? value : number(value)} ${units[at]}`;
}
