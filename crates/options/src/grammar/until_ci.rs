//! How sure a number must be, on the command line: `time_to_first_token:p99:5%` or `request_latency:avg:2.5`.

use aiperf_config::{CiMargin, CiStat, CiTarget};

use super::number;

const FORM: &str = "write METRIC:STAT:MARGIN, where STAT is avg or a percentile such as p99, and MARGIN a share such as 5% or a \
                    number in the metric's unit";

pub(crate) fn read(text: &str) -> Result<CiTarget, String> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let [metric, stat, margin] = parts[..] else { return Err(FORM.to_owned()) };
    if metric.is_empty() {
        return Err(FORM.to_owned());
    }
    Ok(CiTarget { metric: metric.to_owned(), stat: read_stat(stat)?, margin: read_margin(margin)? })
}

fn read_stat(text: &str) -> Result<CiStat, String> {
    if text == "avg" {
        return Ok(CiStat::Avg);
    }
    let percent = text.strip_prefix('p').and_then(number::float).filter(|percent| *percent > 0.0 && *percent < 100.0);
    percent.map(CiStat::Percentile).ok_or_else(|| format!("{text:?} is not a statistic; {FORM}"))
}

fn read_margin(text: &str) -> Result<CiMargin, String> {
    let positive = |text: &str| number::float(text.trim()).filter(|number| *number > 0.0 && number.is_finite());
    let margin = match text.strip_suffix('%') {
        Some(share) => positive(share).filter(|share| *share < 100.0).map(|share| CiMargin::Relative(share / 100.0)),
        None => positive(text).map(CiMargin::Absolute),
    };
    margin.ok_or_else(|| format!("{text:?} is not a margin above 0 (and below 100%); {FORM}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_target_names_a_metric_a_statistic_and_a_margin() {
        let target = read("time_to_first_token:p99:5%").unwrap();
        assert_eq!((target.metric.as_str(), target.stat), ("time_to_first_token", CiStat::Percentile(99.0)));
        assert_eq!(target.margin, CiMargin::Relative(0.05));
        assert_eq!(target.to_string(), "time_to_first_token:p99:5%");
        let target = read("request_latency : avg : 2.5").unwrap();
        assert_eq!((target.stat, target.margin), (CiStat::Avg, CiMargin::Absolute(2.5)));
        assert_eq!(read("a:p99.9:0.5%").unwrap().to_string(), "a:p99.9:0.5%");
    }

    #[test]
    fn what_is_no_target_is_refused_with_the_form() {
        for text in [
            "",
            "a",
            "a:p99",
            ":p99:5%",
            "a:p100:5%",
            "a:p0:5%",
            "a:median:5%",
            "a:avg:0%",
            "a:avg:100%",
            "a:avg:-1",
            "a:avg:5ms",
            "a:avg:inf",
            "a:b:c:d",
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains("METRIC:STAT:MARGIN"), "{message}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*|[a-z_]{0,9}:[a-z0-9.]{0,6}:[0-9.%-]{0,6}") {
            if let Ok(target) = read(&text) {
                prop_assert_eq!(read(&target.to_string()).unwrap().metric, target.metric);
            }
        }
    }
}
