// The list of runs: in groups, each with a box to tick.

import { byId, make } from "./dom.js";
import { state } from "./state.js";

/** The name of a run; with the folders above it if another run has the same name. */
function namer(runs) {
  const folders = runs.map((run) => run.folder.split("/"));
  let common = 0;
  while (folders.length > 1 && folders.every((parts) => parts.length > common + 1 && parts[common] === folders[0][common])) common++;
  const count = (name) => runs.filter((run) => run.name === name).length;
  return (run) => (run.name && count(run.name) === 1 ? run.name : run.folder.split("/").slice(common).join("/"));
}

/** Lists the runs again; `onChange` is called when the selection changes, `onName` with a run whose name was clicked. */
export function listRuns({ onChange, onName }) {
  const { runs, choices } = state.board;
  const select = byId("run-group");
  const parameters = choices.parameters.length ? choices.parameters : ["model"];
  const chosen = parameters.includes(select.value) ? select.value : parameters.includes("model") ? "model" : parameters[0];
  select.replaceChildren(...parameters.map((name) => make("option", { value: name, selected: name === chosen }, name)));
  select.onchange = () => listRuns({ onChange, onName });
  const groups = new Map();
  const byName = (one, other) => (one.name ?? "").localeCompare(other.name ?? "", undefined, { numeric: true });
  for (const run of runs.toSorted(byName)) {
    const group = run.parameters[chosen] ?? (run.problem ? "cannot be read" : `no ${chosen}`);
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(run);
  }
  const label = namer(runs);
  const again = () => { listRuns({ onChange, onName }); onChange(); };
  const set = (ids, isChecked) => {
    for (const id of ids) isChecked ? state.unchecked.delete(id) : state.unchecked.add(id);
    again();
  };
  const boxes = [...groups].toSorted((one, other) => one[0].localeCompare(other[0], undefined, { numeric: true })).map(([group, members]) => {
    const usable = members.filter((run) => !run.problem).map((run) => run.id);
    const on = usable.filter((id) => !state.unchecked.has(id)).length;
    const all = make("input", { type: "checkbox", checked: on === usable.length && on > 0, disabled: !usable.length });
    all.indeterminate = on > 0 && on < usable.length;
    all.onchange = () => set(usable, all.checked);
    const rows = members.map((run) => {
      const box = make("input", { type: "checkbox", checked: !run.problem && !state.unchecked.has(run.id), disabled: Boolean(run.problem), "data-run": run.id });
      box.onchange = () => set([run.id], box.checked);
      const name = make("button", { type: "button", className: "link", title: run.folder, onclick: () => onName(run.id) }, label(run));
      const row = make("div", { className: "run" }, make("label", {}, box, make("span", { className: "away" }, `Show ${run.name}`)), name);
      const swept = choices.parameters.filter((one) => one !== chosen && one !== "run_name" && run.parameters[one]).slice(0, 1);
      if (run.problem) row.append(make("span", { className: "bad", title: run.problem }, "cannot be read"));
      else if (swept.length && !run.name.includes(`${swept[0]}_${run.parameters[swept[0]]}`)) {
        row.append(make("span", { className: "soft" }, `${swept[0]} ${run.parameters[swept[0]]}`));
      }
      return row;
    });
    return make("fieldset", {}, make("legend", {}, make("label", {}, all, ` ${group}`)), ...rows);
  });
  byId("runs").replaceChildren(...boxes);
  const usable = runs.filter((run) => !run.problem).length;
  const on = runs.filter((run) => !run.problem && !state.unchecked.has(run.id)).length;
  byId("run-count").textContent = on === usable ? String(usable) : `${on} of ${usable}`;
}
