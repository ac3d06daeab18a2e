//! One dimension of a search on the command line: `concurrency:1,64:int`.

use aiperf_config::{PROFILING_PHASE_FIELDS, SearchDimension};

use super::number;

const FORM: &str = "write PATH:LOW,HIGH or PATH:LOW,HIGH:int, such as concurrency:1,64:int";

pub(crate) fn read(text: &str) -> Result<SearchDimension, String> {
    let (path, rest) = text.split_once(':').ok_or(FORM)?;
    let (range, kind) = rest.split_once(':').map_or((rest, None), |(range, kind)| (range, Some(kind.trim())));
    let (lo, hi) = range.split_once(',').ok_or(FORM)?;
    let end = |text: &str| number::float(text.trim()).filter(|value| value.is_finite()).ok_or(FORM);
    let (lo, hi) = (end(lo)?, end(hi)?);
    let is_whole = match kind {
        None | Some("real") => false,
        Some("int") => true,
        Some(other) => return Err(format!("{other:?} is not a kind; choose int or real")),
    };
    let dimension = SearchDimension { path: whole_path(path.trim()), lo, hi, is_whole, is_log: false };
    check(&dimension)?;
    Ok(dimension)
}

/// The rules about one dimension, wherever it was written.
pub(crate) fn check(dimension: &SearchDimension) -> Result<(), String> {
    let SearchDimension { path, lo, hi, is_whole, is_log } = dimension;
    let first = path.split('.').next().unwrap_or_default();
    let leaf = path.rsplit('.').next().unwrap_or_default();
    if path.is_empty() || path.split('.').any(str::is_empty) {
        return Err(FORM.to_owned());
    }
    if ["sweep", "multi_run", "multiRun", "random_seed", "randomSeed"].contains(&first) {
        return Err(format!("{path} cannot be searched; search fields of a run, or variables.NAME of a file"));
    }
    if leaf == "rate_series" {
        return Err("rate_series cannot be searched: it is a series, not a number; search rate".to_owned());
    }
    if lo >= hi {
        return Err(format!("the range is empty: {lo} is not below {hi}"));
    }
    if leaf == "users" && !is_whole {
        return Err("users are whole numbers; write users:LOW,HIGH:int".to_owned());
    }
    if *is_whole && (lo.fract() != 0.0 || hi.fract() != 0.0) {
        return Err("the ends of a range of whole numbers must be whole numbers".to_owned());
    }
    if *is_log && *lo <= 0.0 {
        return Err("a range with a log-uniform prior must begin above 0".to_owned());
    }
    Ok(())
}

/// The whole path of a bare name.
pub(crate) fn whole_path(path: &str) -> String {
    let path = path.strip_prefix("benchmark.").unwrap_or(path);
    let plain = path.replace('-', "_");
    if PROFILING_PHASE_FIELDS.contains(&plain.as_str()) { format!("phases.profiling.{plain}") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dimension_has_a_path_a_range_and_a_kind() {
        let dimension = read("concurrency:1,64:int").unwrap();
        assert_eq!(dimension.path, "phases.profiling.concurrency");
        assert_eq!((dimension.lo, dimension.hi, dimension.is_whole), (1.0, 64.0, true));
        assert!(!read("datasets.main.prompts.isl:1,2.5").unwrap().is_whole);
        for wrong in [
            "",
            "concurrency",
            "concurrency:1",
            "concurrency:5,5",
            "concurrency:1,2:float",
            "users:1,2",
            "sweep.type:1,2",
            "rate_series:1,2",
            "concurrency:1,2.5:int",
            "a..b:1,2",
            "rate:1,inf",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
