// Numbers as people read them.

function formatNumber(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(2);
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

// Numbers at ticks have as many digits as the step between them needs.
function formatTick(value, step) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${formatNumber(value / 1e6)} M`;
  if (size >= 1e4) return `${formatNumber(value / 1e3)} k`;
  const digits = step > 0 ? Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9))) : 2;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

// 2nd, 3rd, 4th, 21st.
function ordinal(number) {
  const endings = { 1: "st", 2: "nd", 3: "rd" };
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  return `${number}${isTeen ? "th" : endings[number % 10] ?? "th"}`;
}

function formatPercent(share) {
  if (share === null || Number.isNaN(share)) return "–";
  const percent = share * 100;
  const digits = percent > 0 && percent < 0.1 ? 3 : percent > 99 && percent < 100 ? 2 : 1;
  return `${percent.toLocaleString("en-US", { maximumFractionDigits: digits })} %`;
}

function formatWithUnit(value, unit) {
  const text = formatNumber(value);
  return unit && text !== "–" ? `${text} ${unit}` : text;
}

function csvCell(value) {
  const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(columns, rows) {
  return [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}
