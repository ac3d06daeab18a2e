//! `--slo`: `metric:limit` or `metric:percentile:limit`, several with blanks between them.

use aiperf_config::CapacitySlo;

use super::number;

const FORM: &str =
    "write METRIC:LIMIT or METRIC:PERCENTILE:LIMIT, such as time_to_first_token:500 or time_to_first_token:p95:500";

/// All objectives of one value of the option.
pub(crate) fn read(text: &str) -> Result<Vec<CapacitySlo>, String> {
    let slos = text.split_whitespace().map(read_one).collect::<Result<Vec<_>, _>>()?;
    if slos.is_empty() { Err(FORM.to_owned()) } else { Ok(slos) }
}

fn read_one(text: &str) -> Result<CapacitySlo, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (metric, percentile, limit) = match parts[..] {
        [metric, limit] => (metric, CapacitySlo::USUAL_PERCENTILE, limit),
        [metric, percentile, limit] | [metric, percentile, "lt" | "le", limit] => {
            (metric, read_percentile(percentile)?, limit)
        }
        [_, _, "gt" | "ge", _] => {
            return Err(format!(
                "{text:?} has a comparison; leave it out: for a metric of which more is better, the limit is the least \
                 that is good enough"
            ));
        }
        _ => return Err(format!("{text:?} cannot be read; {FORM}")),
    };
    if metric.is_empty() {
        return Err(format!("{text:?} has no metric before its `:`"));
    }
    let limit = number::float(limit)
        .filter(|limit| limit.is_finite() && *limit > 0.0)
        .ok_or_else(|| format!("the limit of {metric:?} must be a number above 0 without a unit, not {limit:?}"))?;
    Ok(CapacitySlo { metric: metric.to_owned(), percentile, limit })
}

fn read_percentile(text: &str) -> Result<f64, String> {
    let percent = text.strip_prefix('p').and_then(number::float).filter(|percent| (50.0..100.0).contains(percent));
    percent.ok_or_else(|| {
        format!("{text:?} is not a percentile from p50 to below p100; each request keeps the limit or does not, so an average has no objective")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_objective_is_for_99_percent_of_the_requests_unless_it_names_a_percentile() {
        let slos = read("time_to_first_token:500  inter_token_latency:p95:20 request_latency:p99.9:lt:2_000").unwrap();
        let texts: Vec<String> = slos.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["time_to_first_token:p99:500", "inter_token_latency:p95:20", "request_latency:p99.9:2000"]);
        let shares: Vec<f64> = slos.iter().map(CapacitySlo::allowed_share).collect();
        assert_eq!(shares, [0.01, 0.05, 0.001]);
    }

    #[test]
    fn what_is_not_an_objective_is_refused() {
        for bad in [
            "",
            "  ",
            "a",
            "a:x",
            "a:0",
            "a:-1",
            "a:inf",
            ":1",
            "a:avg:1",
            "a:p100:1",
            "a:p20:1",
            "a:p99:gt:1",
            "a:1:2:3:4",
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*|[a-z_]{0,9}:[a-z0-9.]{0,6}:[0-9.%-]{0,6}") {
            let _ = read(&text);
        }
    }
}
