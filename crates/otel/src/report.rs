//! The result of sending the measurements of a run.

use std::fmt;

use serde_json::{Value, json};

/// What was sent to the collector, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtelReport {
    /// Where metrics were posted, without secrets.
    pub url: String,
    pub posts: u64,
    pub failed_posts: u64,
    /// Requests that did not get into the metrics, because they came faster than they could be taken over.
    pub dropped_requests: u64,
    pub sent_spans: u64,
    pub dropped_spans: u64,
    /// Points and spans that the collector refused.
    pub rejected: u64,
    /// The collector does not have the metrics of the end of the run.
    pub end_is_missing: bool,
    /// Why a post failed last.
    pub last_failure: Option<String>,
}

impl OtelReport {
    /// The `otel` object of the summary.
    pub(crate) fn section(&self) -> Value {
        let mut section = json!({
            "url": self.url,
            "complete": self.is_complete(),
            "posts": self.posts,
            "failed_posts": self.failed_posts,
            "dropped_requests": self.dropped_requests,
            "sent_spans": self.sent_spans,
            "dropped_spans": self.dropped_spans,
            "rejected": self.rejected,
            "end_is_missing": self.end_is_missing,
        });
        if let Some(why) = &self.last_failure {
            section["last_failure"] = json!(why);
        }
        section
    }

    /// Whether the collector has everything.
    pub fn is_complete(&self) -> bool {
        self.dropped_requests == 0 && self.dropped_spans == 0 && self.rejected == 0 && !self.end_is_missing
    }
}

impl fmt::Display for OtelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complete() {
            write!(f, "OpenTelemetry: {} posts to {}", self.posts, self.url)?;
            if self.sent_spans > 0 {
                write!(f, " with {} spans", self.sent_spans)?;
            }
            if self.failed_posts > 0 {
                write!(f, "; {} of them failed, and later ones replaced them", self.failed_posts)?;
            }
            return f.write_str(".");
        }
        write!(f, "OpenTelemetry: the collector at {} does not have everything:", self.url)?;
        let parts = [
            (self.failed_posts, "posts failed"),
            (self.dropped_requests, "requests are not in its metrics"),
            (self.dropped_spans, "spans were dropped"),
            (self.rejected, "points or spans were rejected"),
        ];
        let mut parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if self.end_is_missing {
            parts.push("the metrics of the end of the run are missing".to_owned());
        }
        write!(f, " {}.", parts.join(", "))?;
        match &self.last_failure {
            Some(why) => write!(f, " The last post failed because of this: {why}."),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_says_what_is_missing() {
        let complete = OtelReport { url: "http://c/v1/metrics".into(), posts: 3, ..OtelReport::default() };
        assert_eq!(complete.to_string(), "OpenTelemetry: 3 posts to http://c/v1/metrics.");
        let lacking = OtelReport {
            failed_posts: 2,
            dropped_spans: 7,
            end_is_missing: true,
            last_failure: Some("connection refused".into()),
            ..complete
        };
        assert_eq!(
            lacking.to_string(),
            "OpenTelemetry: the collector at http://c/v1/metrics does not have everything: 2 posts failed, 7 spans were \
             dropped, the metrics of the end of the run are missing. The last post failed because of this: connection refused."
        );
    }
}
