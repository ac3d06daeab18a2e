// The limits of a good request, which the reader can change, and what follows from them.

class SloEditor {
  constructor(head, columns) {
    const requests = head.requests;
    this.rows = requests.rows;
    this.every = requests.every;
    this.seconds = head.time.seconds;
    this.failures = head.verdict.failures;
    this.successes = head.verdict.successes;
    this.sliceRequests = requests.slice_requests;
    this.relativeError = requests.relative_error;
    this.bounds = [0];
    for (const count of requests.slice_rows) this.bounds.push(this.bounds[this.bounds.length - 1] + count);
    this.metrics = requests.metrics.map((metric) => {
      const slo = head.slos.find((one) => one.tag === metric.tag);
      return { ...metric, values: readColumn(columns, metric.column, requests.rows), limit: slo ? slo.limit : null, given: slo ? slo.limit : null };
    });
    this.exactGood = head.verdict.good;
    this.listeners = [];
  }

  metric(tag) {
    return this.metrics.find((metric) => metric.tag === tag);
  }

  limits(factor = 1) {
    return this.metrics.filter((metric) => metric.limit !== null).map((metric) => ({
      column: metric.values,
      limit: metric.at_least ? metric.limit / factor : metric.limit * factor,
      atLeast: metric.at_least,
    }));
  }

  isGiven() {
    return this.metrics.every((metric) => metric.limit === metric.given);
  }

  // Good requests, and between how many they are if values were rounded or only a part of the requests is in the file.
  result() {
    const limits = this.limits();
    if (limits.length === 0) return null;
    const judged = this.successes + this.failures;
    const ready = (good, low, high) => ({ good, low, high, goodput: good / this.seconds, share: good / judged, judged, exact: low === high });
    if (this.isGiven() && this.exactGood !== null) return ready(this.exactGood, this.exactGood, this.exactGood);
    const count = (factor) => countGood(this.limits(factor), 0, this.rows);
    const good = count(1);
    if (this.relativeError === 0) return ready(good, good, good);
    const slack = 1 + this.relativeError;
    const spread = this.every > 1 ? sampleSpread(good, this.rows, 1 / this.every) : 0;
    const all = (number) => Math.round((Math.max(0, Math.min(this.rows, number)) * this.successes) / this.rows);
    return ready(all(good), all(count(1 / slack) - spread), all(count(slack) + spread));
  }

  // The share of good requests in each slice, of those that were sent in it and succeeded.
  shareBySlice() {
    const limits = this.limits();
    return this.bounds.slice(1).map((end, slice) => {
      const start = this.bounds[slice];
      return end > start ? countGood(limits, start, end) / (end - start) : null;
    });
  }

  // Violations of one metric as dots: one for each slice and each tenth of a logarithm, as large as they are many.
  violations(tag, middles) {
    const metric = this.metric(tag);
    if (!metric || metric.limit === null) return [];
    const dots = new Map();
    for (let slice = 0; slice + 1 < this.bounds.length; slice += 1) {
      for (let row = this.bounds[slice]; row < this.bounds[slice + 1]; row += 1) {
        const value = metric.values[row];
        if (Number.isNaN(value) || meets(value, metric.limit, metric.at_least)) continue;
        const step = Math.round(Math.log(Math.max(value, 1e-6)) * 10);
        const key = `${slice} ${step}`;
        const dot = dots.get(key) ?? { x: middles[slice], y: 0, count: 0 };
        dot.count += 1;
        dot.y += (value - dot.y) / dot.count;
        dots.set(key, dot);
      }
    }
    return [...dots.values()].map((dot) => ({ ...dot, size: Math.min(6, 1.8 + Math.log2(dot.count) * 0.6) }));
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  node() {
    const inputs = this.metrics.map((metric) => {
      const input = el("input", { type: "number", min: 0, step: "any", id: `slo-${metric.tag}`, inputmode: "decimal", placeholder: "no limit" });
      input.value = metric.limit === null ? "" : String(metric.limit);
      input.addEventListener("input", () => {
        const value = input.value.trim() === "" ? null : Number(input.value);
        metric.limit = value !== null && Number.isFinite(value) && value >= 0 ? value : null;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.changed(), 120);
      });
      metric.input = input;
      const side = metric.at_least ? "at least" : "at most";
      return el("label", { for: `slo-${metric.tag}` }, el("span", { text: metric.label }), el("span", { class: "side", text: side }), input, el("span", { class: "unit", text: metric.unit }));
    });
    const reset = el("button", { type: "button", class: "small", text: "Limits of the run", onclick: () => {
      for (const metric of this.metrics) {
        metric.limit = metric.given;
        metric.input.value = metric.given === null ? "" : String(metric.given);
      }
      this.changed();
    } });
    const answer = el("p", { class: "answer", id: "slo-answer", role: "status" });
    const tell = () => {
      const result = this.result();
      answer.replaceChildren(...this.answer(result));
      answer.dataset.limits = this.metrics.filter((metric) => metric.limit !== null).map((metric) => `${metric.tag}=${metric.limit}`).join(" ");
      for (const [key, value] of Object.entries(result ?? { good: "", goodput: "" })) answer.dataset[key] = String(value);
    };
    this.listeners.push(tell);
    tell();
    return el("form", { class: "slo", onsubmit: (event) => event.preventDefault() }, el("div", { class: "slo-inputs" }, ...inputs, reset), answer);
  }

  answer(result) {
    if (!result) return ["No limit is set. Enter one to see how many requests meet it."];
    const parts = [
      el("strong", { text: `${formatNumber(result.goodput)} requests/s` }),
      ` meet the limits: ${formatNumber(result.good)} of ${formatNumber(result.judged)} requests (${formatPercent(result.share)}).`,
    ];
    if (!result.exact) {
      const kept = this.every > 1 ? `This file has every ${ordinal(this.every)} request, with values rounded to` : "Values in this file are rounded to";
      parts.push(` ${kept} ${formatNumber(this.relativeError * 100)} %, so it may be ${formatNumber(result.low)} to ${formatNumber(result.high)}.`);
    }
    return parts;
  }
}
