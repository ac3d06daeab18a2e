// Reads the data and puts the page together.

function themeSwitch() {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const redraw = () => charts.forEach((one) => one.redraw());
  const button = el("button", { type: "button", id: "theme" });
  const name = () => put(button, { text: isDark() ? "Light" : "Dark", "aria-label": isDark() ? "Use light colours" : "Use dark colours" });
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
    redraw();
  });
  prefersDark.addEventListener("change", () => {
    name();
    redraw();
  });
  name();
  return button;
}

async function start() {
  const { head, columns } = await readPayload(document.getElementById("data"));
  const pages = { run: typeof runPage === "function" ? [runPage, runSubtitle] : null, sweep: typeof sweepPage === "function" ? [sweepPage, sweepSubtitle] : null, comparison: typeof comparisonPage === "function" ? [comparisonPage, comparisonSubtitle] : null };
  const [page, subtitle] = pages[head.kind];
  document.getElementById("header").replaceChildren(
    el("div", {}, el("h1", { text: head.meta.title }), el("p", { class: "subtitle", text: subtitle(head) })),
    el("nav", { "aria-label": "Page" }, themeSwitch()));
  document.getElementById("content").replaceChildren(...page(head, columns).filter(Boolean));
  document.getElementById("footer").replaceChildren(el("p", { text: `Made by ${head.meta.made_by}. This file needs no network and contains all of its data.` }));
  charts.forEach((one) => one.redraw());
  const watcher = new ResizeObserver(() => charts.forEach((one) => one.resized()));
  watcher.observe(document.getElementById("content"));
  const root = document.documentElement;
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details.more").forEach((details) => details.setAttribute("open", ""));
    // The page gets the width of the paper, and charts are drawn for it.
    root.dataset.printing = "true";
    charts.forEach((one) => one.redraw());
  });
  window.addEventListener("afterprint", () => {
    delete root.dataset.printing;
    charts.forEach((one) => one.redraw());
  });
  root.dataset.ready = "true";
  root.dataset.readyMs = String(Math.round(performance.now()));
}

start().catch((error) => {
  document.getElementById("content").replaceChildren(el("p", { class: "noscript", text: `This report cannot be shown: ${error.message}. Open it in a current browser.` }));
  throw error;
});
