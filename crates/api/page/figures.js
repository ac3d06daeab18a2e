// The cards with the numbers that people look at first, each with its course so far.

import { byId, make, say } from "./dom.js";
import { prepare, stroke } from "./chart.js";
import { count, number, percent } from "./format.js";

function latency(title, key) {
  return {
    title,
    of: (headline) => {
      const spread = headline[key];
      const now = spread.window ?? spread.phase;
      if (!now) return null;
      const whole = spread.phase;
      return { value: number(now.p50), unit: "ms", more: `p99 ${number(now.p99)}${whole ? ` (run ${number(whole.p99)})` : ""}` };
    },
    line: (point) => point[key]?.p50 ?? null,
  };
}

/** Names that fit a card. */
const SHORT = { time_to_first_token: "TTFT", inter_token_latency: "ITL", request_latency: "latency" };

const FIGURES = [
  {
    title: "Requests / s",
    of: (headline) => ({ value: number(headline.requests_per_second), unit: "", more: `run ${number(headline.phase_requests_per_second)}` }),
    line: (point) => point.requests_per_second,
  },
  {
    title: "Output tok / s",
    of: (headline) => headline.output_tokens_per_second === null ? null : {
      value: number(headline.output_tokens_per_second), unit: "", more: `run ${number(headline.phase_output_tokens_per_second)}`,
    },
    line: (point) => point.output_tokens_per_second,
  },
  latency("TTFT p50", "ttft"),
  latency("ITL p50", "itl"),
  latency("Latency p50", "latency"),
  {
    title: "In flight",
    of: (headline) => ({ value: count(headline.in_flight), unit: "", more: `${count(headline.completed)} answered` }),
    line: (point) => point.in_flight,
  },
  {
    title: "Goodput",
    of: (headline, run) => {
      if (!headline.goodput) return null;
      const slos = (run?.slos ?? []).map((slo) => `${SHORT[slo.tag] ?? slo.tag.replaceAll("_", " ")} ${Number(slo.limit)}`);
      return { value: percent(headline.goodput.share), unit: "", more: [`${number(headline.goodput.per_second)} / s`, ...slos].join(" · ") };
    },
    line: null,
  },
  {
    title: "Errors",
    of: (headline) => ({ value: count(headline.errors), unit: "", more: `${percent(headline.error_share)} of requests`, bad: headline.errors > 0 }),
    line: (point) => point.errors_per_second,
  },
];

const cards = FIGURES.map((figure) => {
  const value = make("div", "value");
  const more = make("div", "more");
  const canvas = make("canvas");
  canvas.setAttribute("aria-hidden", "true");
  const card = make("div", figure.line ? "figure" : "figure plain", make("h2", "", figure.title), value, more, canvas);
  return { figure, card, value, more, canvas };
});

export function showFigures({ snapshot, history, run }) {
  const place = byId("figures");
  // Zeros before the first request would say nothing.
  place.hidden = snapshot.phases.every((phase) => phase.state === "waiting");
  if (place.hidden) return;
  if (place.children.length === 0) place.append(...cards.map((one) => one.card));
  for (const { figure, card, value, more, canvas } of cards) {
    const shown = figure.of(snapshot.headline, run);
    card.hidden = !shown;
    if (!shown) continue;
    card.classList.toggle("bad", Boolean(shown.bad));
    say(more, shown.more);
    more.title = shown.more;
    if (value.dataset.text !== shown.value + shown.unit) {
      value.dataset.text = shown.value + shown.unit;
      value.replaceChildren(shown.value, ...(shown.unit ? [make("small", "", shown.unit)] : []));
    }
    canvas.hidden = !figure.line;
    if (figure.line) course(canvas, history.points, figure.line, shown.bad);
  }
}

/** The last two minutes without axes. */
function course(canvas, points, line, bad) {
  const drawing = prepare(canvas);
  if (!drawing) return;
  const { pen, width, height } = drawing;
  const shown = points.slice(-120).map((point, at) => [at, line(point)]);
  const top = Math.max(...shown.map((point) => point[1] ?? 0), 1e-9);
  const style = getComputedStyle(document.documentElement);
  const name = bad ? "red" : "blue";
  const place = ([x, y]) => [(x / Math.max(shown.length - 1, 1)) * width, height - 2 - (y / top) * (height - 6)];
  if (shown.length > 1) stroke(pen, shown, place, { line: style.getPropertyValue(`--${name}`), wash: style.getPropertyValue(`--${name}-wash`), width: 1.5 }, height);
}
