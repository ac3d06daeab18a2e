//! The accuracies of a run, if it is an accuracy benchmark: the whole run first, then its tasks.

use serde_json::{Value, json};

pub(crate) fn json(summary: &Value) -> Value {
    let section = &summary["accuracy"];
    if !section.is_object() {
        return Value::Null;
    }
    let row = |task: &str, right: &Value, unparsed: &Value, failed: &Value| {
        json!({
            "task": task,
            "right": right["sum"],
            "total": right["count"],
            "unparsed": unparsed["sum"],
            "failed": failed["sum"],
            "accuracy": right["avg"],
            "ci": right["ci"]["avg"],
        })
    };
    let whole = row("All", &summary["accuracy.overall"], &summary["accuracy.unparsed"], &summary["accuracy.failed"]);
    let keys = summary.as_object().into_iter().flatten();
    let tasks = keys.filter_map(|(key, right)| Some((key.strip_prefix("accuracy.task.")?, right)));
    let tasks = tasks.map(|(task, right)| {
        let of = |kind: &str| &summary[format!("accuracy.{kind}.task.{task}")];
        row(task, right, of("unparsed"), of("failed"))
    });
    json!({
        "benchmark": section["benchmark"],
        "grader": section["grader"],
        "data": section["data"],
        "rows": std::iter::once(whole).chain(tasks).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_run_comes_first_and_each_task_has_its_counts() {
        let ratio = |sum: u64, count: u64| json!({"unit": "ratio", "avg": sum as f64 / count as f64, "count": count, "sum": sum, "ci": {"avg": [0.1, 0.9]}});
        let summary = json!({
            "accuracy": {"benchmark": "mmlu", "grader": "multiple_choice", "data": null},
            "accuracy.overall": ratio(3, 4), "accuracy.task.virology": ratio(1, 2),
            "accuracy.unparsed": ratio(1, 4), "accuracy.unparsed.task.virology": ratio(1, 2),
            "accuracy.failed": ratio(0, 4), "accuracy.failed.task.virology": ratio(0, 2),
        });
        let page = json(&summary);
        assert_eq!(page["rows"][0]["right"], 3);
        assert_eq!((&page["rows"][1]["task"], &page["rows"][1]["unparsed"]), (&json!("virology"), &json!(1)));
        assert_eq!(json(&json!({})), Value::Null);
    }
}
