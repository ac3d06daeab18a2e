//! Packs to begin with, for `aiperf plugins new CATEGORY`.

use crate::category::Category;
use crate::pack::EntryForm;

/// A file of a new pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StarterFile {
    /// Relative to the folder of the pack.
    pub name: &'static str,
    pub text: String,
}

const ENDPOINT: &str = include_str!("starter/endpoint.yaml");
const PUBLIC_DATASET: &str = include_str!("starter/public_dataset.yaml");
const PLOT: &str = include_str!("starter/plot.yaml");
const RECIPE: &str = include_str!("starter/search_recipe.yaml");
const GRADER: &str = include_str!("starter/grader.yaml");
const SLO_SET: &str = include_str!("starter/slo_set.yaml");

const PROCESS: &str = include_str!("starter/process.yaml");
const PROGRAM: &str = include_str!("starter/process.py");

fn program_head(category: &str) -> String {
    format!("\"\"\"A plugin of aiperf: {category}. docs/plugins.md describes the messages.\"\"\"\n")
}

const LOAD: &str = r#"    elif message["type"] == "load":
        send({"type": "row", "row": {"turns": [{"text": "Hello"}]}})
        send({"type": "done"})
"#;
const PLAN: &str = r#"    elif message["type"] == "search":
        dimensions = message["search"]["search_space"]
        points = [{d["path"]: d["lo"] for d in dimensions}, {d["path"]: d["hi"] for d in dimensions}]
    elif message["type"] == "tell":
        pass
    elif message["type"] == "ask":
        send({"type": "point", "point": points.pop(0)} if points else {"type": "done"})
"#;
const COLLECT: &str = r#"    elif message["type"] == "collect":
        send({"type": "metrics", "samples": [{"name": "my_metric", "value": 1.0}]})
"#;
const EXPORT: &str = r#"    elif message["type"] == "record":
        print(message["record"]["metadata"], file=sys.stderr)
    elif message["type"] == "run":
        send({"type": "done", "message": "exported " + message["artifact_dir"]})
"#;

/// What a program of this category does with its messages.
fn answers(category: &str) -> &'static str {
    match category {
        "custom_dataset_loader" => LOAD,
        "search_planner" => PLAN,
        "server_metrics_collector" => COLLECT,
        _ => EXPORT,
    }
}

/// The files of a pack with one entry of this category; `None` if packs cannot add to it.
pub fn starter(category: &Category, name: &str) -> Option<Vec<StarterFile>> {
    let text = match category.form? {
        EntryForm::Endpoint => ENDPOINT,
        EntryForm::PublicDataset => PUBLIC_DATASET,
        EntryForm::Plot => PLOT,
        EntryForm::Recipe => RECIPE,
        EntryForm::Grader => GRADER,
        EntryForm::SloSet => SLO_SET,
        EntryForm::Process => {
            let pack = PROCESS.replace("CATEGORY", category.name).replace("NAME", name);
            let program =
                format!("{}{}", program_head(category.name), PROGRAM.replace("ANSWERS", answers(category.name)));
            return Some(vec![
                StarterFile { name: "plugin.yaml", text: pack },
                StarterFile { name: "plugin.py", text: program },
            ]);
        }
    };
    Some(vec![StarterFile { name: "plugin.yaml", text: text.replace("NAME", name) }])
}
