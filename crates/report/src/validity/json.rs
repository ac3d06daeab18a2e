//! What a reader should know before believing the numbers, as JSON.

use aiperf_metrics::{Severity, ValidityCode, ValidityNote};
use serde_json::{Map, Value};

use crate::validity::Wording;

/// The `validity` list.
pub(crate) fn validity(notes: &[ValidityNote]) -> Value {
    notes.iter().map(note).collect()
}

fn note(note: &ValidityNote) -> Value {
    let Wording { statement, advice } = Wording::of(note);
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("code", note.code().name().into());
    put("severity", note.severity().name().into());
    if let Some(subject) = note.subject() {
        put("subject", subject.into());
    }
    put("figure", note.figure().into());
    put("unit", note.unit().label().into());
    put("threshold", note.threshold().into());
    put("message", statement.into());
    put("advice", advice.into());
    Value::Object(object)
}

/// Adds the notes of an earlier summary that records do not tell, unless a note with their code is there. Warnings stay first, and
/// notes of the earlier summary keep its order.
pub(crate) fn carry_over(notes: &mut Vec<Value>, earlier: &[Value]) {
    let untold = |note: &&Value| {
        let code = note["code"].as_str().and_then(ValidityCode::from_name);
        code.is_some_and(|code| !code.follows_from_records()) && notes.iter().all(|known| known["code"] != note["code"])
    };
    let news: Vec<Value> = earlier.iter().filter(untold).cloned().collect();
    notes.extend(news);
    let place = |note: &Value| earlier.iter().position(|known| known["code"] == note["code"]).unwrap_or(earlier.len());
    notes.sort_by_key(|note| (note["severity"] != Severity::Warning.name(), place(note)));
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Nanos;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_has_its_code_severity_figure_and_words() {
        let shown = validity(&[ValidityNote::ClockStepped { step: Nanos(3_000_000_000) }]);
        let note = &shown[0];
        assert_eq!((&note["code"], &note["severity"]), (&json!("clock_step"), &json!("warning")));
        assert_eq!((&note["figure"], &note["unit"], &note["threshold"]), (&json!(3_000.0), &json!("ms"), &json!(1.0)));
        assert!(note["message"].as_str().unwrap().contains("3,000.00 ms") && note["advice"].is_string());
        assert!(note.get("subject").is_none());
        assert_eq!(validity(&[]), json!([]));
    }

    #[test]
    fn what_records_tell_is_not_taken_from_an_earlier_summary() {
        let mut notes = vec![json!({"code": "client_saturated", "figure": 1.0})];
        let earlier = [
            json!({"code": "error_share"}),
            json!({"code": "client_saturated", "figure": 2.0}),
            json!({"code": "clock_step"}),
            json!({"code": "of_another_version"}),
        ];
        carry_over(&mut notes, &earlier);
        assert_eq!(notes, [json!({"code": "client_saturated", "figure": 1.0}), json!({"code": "clock_step"})]);
    }

    #[test]
    fn notes_that_are_carried_over_stand_where_they_stood() {
        let note = |code: &str, severity: &str| json!({"code": code, "severity": severity});
        let earlier = [note("clock_step", "warning"), note("sample_floor", "warning"), note("cold_start", "info")];
        let mut notes = vec![note("sample_floor", "warning"), note("cold_start", "info")];
        carry_over(&mut notes, &earlier);
        assert_eq!(notes, earlier);
    }
}
