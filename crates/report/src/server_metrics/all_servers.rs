//! What all servers of a run say together about its requests, each request counted once.

use std::collections::BTreeSet;

use aiperf_metrics::ServerClaims;
use aiperf_telemetry::server::{Engine, EngineMetric};

use super::summary::{EngineSummary, ServerMetricsSummary};

impl ServerMetricsSummary {
    /// What the validity checks compare with the counts of the client.
    pub(crate) fn claims(&self) -> Option<ServerClaims> {
        if self.engines.is_empty() {
            return None;
        }
        Some(ServerClaims {
            generation_tokens: self.total(EngineMetric::GenerationTokens),
            time_to_first_token: self.mean_millis(EngineMetric::TimeToFirstToken),
        })
    }

    /// The sum of a counter over all servers.
    fn total(&self, metric: EngineMetric) -> Option<f64> {
        let totals = self.reporting(metric).into_iter().filter_map(|one| one.get(metric)?.total);
        totals.reduce(|sum, total| sum + total)
    }

    /// The mean of all observations of a histogram of times, in milliseconds.
    pub(crate) fn mean_millis(&self, metric: EngineMetric) -> Option<f64> {
        let observed: Vec<(f64, f64)> = self
            .reporting(metric)
            .into_iter()
            .filter_map(|one| Some((one.get(metric)?.count? as f64, one.mean_millis(metric)?)))
            .collect();
        let count: f64 = observed.iter().map(|(count, _)| count).sum();
        (count > 0.0).then(|| observed.iter().map(|(count, mean)| count * mean).sum::<f64>() / count)
    }

    /// The names of the engines that report a metric.
    pub(crate) fn names_of_engines(&self, metric: EngineMetric) -> BTreeSet<&str> {
        self.reporting(metric).iter().map(|one| one.engine.as_str()).collect()
    }

    /// Who reports a metric: of each page one engine, because a page may have the names of two, and no front end of servers that
    /// report it too, because both count the same requests.
    fn reporting(&self, metric: EngineMetric) -> Vec<&EngineSummary> {
        let mut pages = BTreeSet::new();
        let has = |one: &&EngineSummary| one.endpoint.is_some() && one.get(metric).is_some();
        let mut found: Vec<&EngineSummary> =
            self.engines.iter().filter(has).filter(|one| pages.insert(one.endpoint.as_deref())).collect();
        let nearest = found.iter().map(|one| layer(one)).min();
        found.retain(|one| Some(layer(one)) == nearest);
        found
    }
}

fn layer(one: &EngineSummary) -> u8 {
    Engine::named(&one.engine).map_or(0, Engine::layer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn engine(name: &str, url: &str, tokens: f64, first_token: (u64, f64)) -> Value {
        json!({"engine": name, "endpoint_url": url, "metrics": {
            "generation_tokens": {"source": "g", "total": tokens, "rate": 1.0},
            "time_to_first_token": {"source": "t", "unit": "seconds", "count": first_token.0, "avg": first_token.1},
        }})
    }

    fn claims(engines: &Value) -> (Option<f64>, Option<f64>) {
        let object = json!({"endpoints_successful": [], "engines": engines});
        let claims = ServerMetricsSummary::read(&object).unwrap().claims().unwrap();
        (claims.generation_tokens, claims.time_to_first_token)
    }

    #[test]
    fn servers_of_different_engines_are_added_up() {
        let mut all = engine("vLLM", "ignored", 30.0, (4, 0.04));
        all.as_object_mut().unwrap().remove("endpoint_url");
        let engines = json!([
            all,
            engine("vLLM", "http://a/metrics", 10.0, (1, 0.01)),
            engine("vLLM", "http://b/metrics", 20.0, (3, 0.05)),
            engine("SGLang", "http://c/metrics", 70.0, (4, 0.08)),
        ]);
        let (tokens, first_token) = claims(&engines);
        assert_eq!(tokens, Some(100.0));
        assert!((first_token.unwrap() - 60.0).abs() < 1e-9, "(10 + 3 * 50 + 4 * 80) / 8, but {first_token:?}");
    }

    #[test]
    fn a_proxy_does_not_count_the_requests_of_the_servers_behind_it_again() {
        let worker = engine("vLLM", "http://a/metrics", 10.0, (1, 0.01));
        let proxy = engine("LiteLLM", "http://p/metrics", 10.0, (1, 0.03));
        let front_end = engine("Dynamo", "http://d/metrics", 10.0, (1, 0.02));
        assert_eq!(claims(&json!([worker, front_end, proxy])), (Some(10.0), Some(10.0)));
        assert_eq!(claims(&json!([front_end, proxy])), (Some(10.0), Some(20.0)));
        assert_eq!(claims(&json!([proxy])), (Some(10.0), Some(30.0)));
    }

    #[test]
    fn two_names_on_one_page_count_once() {
        let page = "http://a/metrics";
        let engines = json!([engine("vLLM", page, 10.0, (1, 0.01)), engine("Triton", page, 10.0, (1, 0.02))]);
        assert_eq!(claims(&engines), (Some(10.0), Some(10.0)));
    }
}
