//! Reads a line without blanks between its parts, as this program and AIPerf write it, several times as fast as `serde_json`. What has
//! another layout is left to `serde_json`.

use aiperf_metrics::Metric;
use serde::de::IgnoredAny;

use super::cursor::Cursor;
use super::{LineMetadata, LineMetrics, RecordLine, RecordedValue, by_tag};

/// Lines of a file have their metrics in the same order: the tags of the line before say what comes next.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    order: Vec<(Vec<u8>, Option<Metric>)>,
}

impl LineReader {
    pub(crate) fn read(&mut self, line: &[u8]) -> Result<RecordLine, serde_json::Error> {
        match self.compact(line) {
            Some(record) => Ok(record),
            None => serde_json::from_slice(line),
        }
    }

    /// `None` if the layout is another one.
    fn compact(&mut self, line: &[u8]) -> Option<RecordLine> {
        let mut cursor = Cursor::new(line);
        cursor.eat(br#"{"metadata":{"#)?;
        let metadata = metadata(&mut cursor)?;
        cursor.eat(br#","metrics":{"#)?;
        let metrics = self.metrics(&mut cursor)?;
        let mut record = RecordLine { metadata, metrics, error: None, spec_decode_acceptance: None };
        while cursor.eat(b",").is_some() {
            match cursor.key()? {
                b"error" => record.error = cursor.value()?,
                b"spec_decode_acceptance" => record.spec_decode_acceptance = cursor.value()?,
                b"metadata" | b"metrics" => return None,
                _ => drop(cursor.value::<IgnoredAny>()?),
            }
        }
        cursor.eat(b"}")?;
        cursor.is_at_end().then_some(record)
    }

    /// Up to the end of their object.
    fn metrics(&mut self, cursor: &mut Cursor<'_>) -> Option<LineMetrics> {
        let mut metrics = LineMetrics::with_room(self.order.len());
        if cursor.eat(b"}").is_some() {
            return Some(metrics);
        }
        for place in 0.. {
            let tag = cursor.key()?;
            cursor.eat(br#"{"value":"#)?;
            let value = if cursor.eat(b"[").is_some() { many(cursor)? } else { RecordedValue::One(cursor.number()?) };
            if cursor.eat(br#","unit":"#).is_some() {
                cursor.quoted()?;
            }
            cursor.eat(b"}")?;
            match self.metric(place, tag) {
                Some(metric) => metrics.put(metric, value),
                None => metrics.unknown.push(std::str::from_utf8(tag).ok()?.to_owned()),
            }
            if cursor.eat(b"}").is_some() {
                break;
            }
            cursor.eat(b",")?;
        }
        Some(metrics)
    }

    /// The metric of a tag; `None` if it is not in the catalogue.
    fn metric(&mut self, place: usize, tag: &[u8]) -> Option<Metric> {
        if let Some((expected, metric)) = self.order.get(place)
            && expected == tag
        {
            return *metric;
        }
        let metric = std::str::from_utf8(tag).ok().and_then(|tag| by_tag().get(tag).copied());
        self.order.truncate(place);
        if self.order.len() == place {
            self.order.push((tag.to_owned(), metric));
        }
        metric
    }
}

fn many(cursor: &mut Cursor<'_>) -> Option<RecordedValue> {
    let mut values = Vec::new();
    if cursor.eat(b"]").is_some() {
        return Some(RecordedValue::Many(values));
    }
    loop {
        values.push(cursor.number()?);
        if cursor.eat(b"]").is_some() {
            return Some(RecordedValue::Many(values));
        }
        cursor.eat(b",")?;
    }
}

/// Up to the end of its object.
fn metadata(cursor: &mut Cursor<'_>) -> Option<LineMetadata> {
    let mut found = LineMetadata::default();
    let (mut start, mut end) = (None, None);
    loop {
        match cursor.key()? {
            b"x_request_id" => cursor.text_or_null(&mut found.x_request_id)?,
            b"conversation_id" => cursor.text_or_null(&mut found.conversation_id)?,
            b"benchmark_phase" => cursor.text_or_null(&mut found.benchmark_phase)?,
            b"phase_name" => cursor.text_or_null(&mut found.phase_name)?,
            b"phase_kind" => cursor.text_or_null(&mut found.phase_kind)?,
            b"credit_issued_ns" => cursor.whole_or_null(&mut found.credit_issued_ns)?,
            b"request_ack_ns" => cursor.whole_or_null(&mut found.request_ack_ns)?,
            b"request_start_ns" => start = Some(cursor.whole()?),
            b"request_end_ns" => end = Some(cursor.whole()?),
            b"phase_index" => found.phase_index = u32::try_from(cursor.whole()?).ok()?,
            b"resent" => found.resent = u32::try_from(cursor.whole()?).ok()?,
            b"profiling_index" => {
                let mut index = None;
                cursor.whole_or_null(&mut index)?;
                found.profiling_index = index.map(u32::try_from).transpose().ok()?;
            }
            b"was_cancelled" => found.was_cancelled = cursor.truth()?,
            b"node" => found.node = cursor.value()?,
            _ => cursor.skip()?,
        }
        if cursor.eat(b"}").is_some() {
            return Some(LineMetadata { request_start_ns: start?, request_end_ns: end?, ..found });
        }
        cursor.eat(b",")?;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn both(line: &str) -> (Option<RecordLine>, Option<RecordLine>) {
        (LineReader::default().compact(line.as_bytes()), serde_json::from_str(line).ok())
    }

    #[test]
    fn a_line_of_a_run_is_read_in_its_compact_layout() {
        let line = json!({
            "metadata": {
                "session_num": 7, "x_request_id": "a", "conversation_id": null, "turn_index": 0, "credit_issued_ns": null,
                "request_start_ns": 1_794_897_621_068_567_276_u64, "request_ack_ns": 2, "request_end_ns": 3, "worker_id": "w",
                "benchmark_phase": "profiling", "phase_index": 1, "profiling_index": 0, "was_cancelled": true, "resent": 2,
                "node": "node-1",
            },
            "metrics": {
                "time_to_first_token": {"value": 9.445_321, "unit": "ms"},
                "inter_chunk_latency": {"value": [5.274_077, 0.0, 1e-3], "unit": "ms"},
                "not_known": {"value": 3, "unit": "x"},
            },
            "error": {"code": 500, "message": "no \"room\"", "type": "E"},
            "trace_data": {"a": [1, 2]},
        });
        let (compact, general) = both(&line.to_string());
        assert!(compact.is_some());
        assert_eq!(compact, general);
    }

    #[test]
    fn what_is_not_a_record_is_left_to_the_general_reader() {
        let good = r#"{"metadata":{"request_start_ns":1,"request_end_ns":2},"metrics":{}}"#;
        assert!(both(good).0.is_some());
        for bad in [
            &good[..good.len() - 1],
            &format!("{good}}}"),
            r#"{"metadata":{"request_start_ns":1},"metrics":{}}"#,
            r#"{"metadata":{"request_start_ns":01,"request_end_ns":2},"metrics":{}}"#,
            r#"{"metadata":{"request_start_ns":1,"request_end_ns":2},"metrics":{"a":{"value":1.}}}"#,
            r#"{"metadata":{"request_start_ns":1,"request_end_ns":2},"metrics":{"a":{"value":1},}}"#,
            "{\"metadata\":{\"request_start_ns\":1,\"request_end_ns\":2,\"x\":\"\n\"},\"metrics\":{}}",
        ] {
            let (compact, general) = both(bad);
            assert!(compact.is_none() && general.is_none(), "{bad}");
        }
        let spaced = r#"{ "metadata": {"request_start_ns": 1, "request_end_ns": 2}, "metrics": {}}"#;
        assert!(both(spaced).0.is_none() && LineReader::default().read(spaced.as_bytes()).is_ok());
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter_map("JSON has no such number", |value| {
                serde_json::Number::from_f64(value).map(Value::Number)
            }),
            (-1_000_000_i64..1_000_000).prop_map(|thousandths| json!(thousandths as f64 / 1e3)),
        ]
    }

    proptest! {
        #[test]
        fn both_readers_read_the_same(
            id in "\\PC*",
            start in any::<u64>(),
            values in proptest::collection::vec((0..Metric::ALL.len(), number()), 0..8),
            cut in 0_usize..400,
        ) {
            let mut line = json!({
                "metadata": {"x_request_id": id, "request_start_ns": start, "request_end_ns": 5, "x": [1]},
                "metrics": {},
            });
            for (place, value) in values {
                line["metrics"][Metric::ALL[place].tag()] = json!({"value": value, "unit": "u"});
            }
            line["metadata"].as_object_mut().unwrap().remove("x");
            let text = line.to_string();
            let (compact, general) = both(&text);
            let general = general.unwrap();
            if let Some(compact) = compact {
                prop_assert_eq!(&compact.metadata, &general.metadata);
                for (one, other) in compact.metrics.known().iter().zip(general.metrics.known()) {
                    let RecordedValue::One(value) = one.1 else { panic!("a number became a list") };
                    let RecordedValue::One(near) = other.1 else { panic!("a number became a list") };
                    prop_assert_eq!(one.0, other.0);
                    // `serde_json` may be off in the last place, and by more for numbers that are nearly 0.
                    let close = near.abs() * f64::EPSILON + f64::MIN_POSITIVE;
                    prop_assert!((value - near).abs() <= close, "{} {}", value, near);
                    let exact: f64 = line["metrics"][one.0.tag()]["value"].to_string().parse().unwrap();
                    prop_assert_eq!(value.to_bits(), exact.to_bits());
                }
            }
            // A line that was cut is not a record.
            let part: String = text.chars().take(cut.min(text.chars().count() - 1)).collect();
            prop_assert!(both(&part).0.is_none());
        }
    }
}
