//! Releases of `LiveCodeBench`. Its data set adds a file with new tasks from time to time: `test.jsonl`, `test2.jsonl` and so on.

/// The number of files that the data set has.
const FILES: u32 = 6;

/// The files of a release in their order: `v4` is one file, `v4_v5` a range, `release_v5` all up to the fifth. `None` if the name is
/// not that of a release.
pub fn release_files(release: &str) -> Option<Vec<String>> {
    let number = |text: &str| {
        let number = text.strip_prefix('v')?.parse().ok()?;
        (1..=FILES).contains(&number).then_some(number)
    };
    let (first, last) = match release.strip_prefix("release_") {
        Some("latest") => (1, FILES),
        Some(upto) => (1, number(upto)?),
        None => match release.split_once('_') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(release)?, number(release)?),
        },
    };
    let name = |number: u32| if number == 1 { "test.jsonl".to_owned() } else { format!("test{number}.jsonl") };
    (first <= last).then(|| (first..=last).map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_one_file_a_range_or_all_up_to_one() {
        let files = |release: &str| release_files(release).map(|files| files.join(" "));
        assert_eq!(files("v1").as_deref(), Some("test.jsonl"));
        assert_eq!(files("v4_v5").as_deref(), Some("test4.jsonl test5.jsonl"));
        assert_eq!(files("release_v2").as_deref(), Some("test.jsonl test2.jsonl"));
        assert_eq!(release_files("release_latest").map(|files| files.len()), Some(6));
        for bad in ["", "v0", "v7", "v5_v4", "release_", "release_7", "4", "v4_", "?"] {
            assert_eq!(release_files(bad), None, "{bad}");
        }
    }
}
