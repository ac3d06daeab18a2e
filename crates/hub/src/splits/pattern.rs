//! File name patterns with stars, and the splits in file names.

/// Whether a path matches a pattern. `*` matches anything within a name, `**` also across folders, `?` one character.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    // Dynamic programming over prefixes of pattern and path, to avoid exponential backtracking.
    let (pattern, path): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    let mut fits = vec![false; path.len() + 1];
    fits[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let star = pattern[at] == '*';
        let deep = star && pattern.get(at + 1) == Some(&'*');
        // `**/` also matches no folder.
        let no_folder = deep && pattern.get(at + 2) == Some(&'/');
        let mut next = vec![false; path.len() + 1];
        for here in 0..=path.len() {
            if star {
                let longer = here > 0 && next[here - 1] && (deep || path[here - 1] != '/');
                next[here] = fits[here] || longer;
            } else if here > 0 && fits[here - 1] {
                next[here] = pattern[at] == path[here - 1] || (pattern[at] == '?' && path[here - 1] != '/');
            }
        }
        if no_folder {
            for here in 0..=path.len() {
                next[here] = fits[here] || (here > 0 && path[here - 1] == '/' && next[here]);
            }
        }
        fits = next;
        at += if no_folder { 3 } else { 1 + usize::from(deep) };
    }
    fits[path.len()]
}

const SPLITS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "val", "dev"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// The canonical name of a split.
pub(super) fn canonical(split: &str) -> &str {
    SPLITS.iter().find(|(_, words)| words.contains(&split)).map_or(split, |(name, _)| name)
}

/// The split in a path, as a separate word; the last one counts.
pub(super) fn split_of(path: &str) -> Option<&'static str> {
    split_word(path).map(|(_, name)| name)
}

/// Whether a path has the split by this very name, such as `dev` and not `validation`.
pub(super) fn names_split(path: &str, split: &str) -> bool {
    split_word(path).is_some_and(|(word, _)| word == split)
}

/// The word for the split in a path, and the canonical name.
fn split_word(path: &str) -> Option<(&str, &'static str)> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let words = stem.split(|c: char| !c.is_ascii_alphabetic());
    words
        .filter_map(|word| SPLITS.iter().find(|(_, words)| words.contains(&word)).map(|(name, _)| (word, *name)))
        .next_back()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_stay_in_their_folder_unless_doubled() {
        for (pattern, path, expected) in [
            ("data/train-*", "data/train-00000-of-00001.parquet", true),
            ("data/train-*", "data/test-00000-of-00001.parquet", false),
            ("*.parquet", "a.parquet", true),
            ("*.parquet", "a/b.parquet", false),
            ("**/*.parquet", "a/b/c.parquet", true),
            ("**/*.parquet", "c.parquet", true),
            ("**", "a/b", true),
            ("data/**", "data/a/b", true),
            ("sharegpt4o/*", "sharegpt4o/train-0.parquet", true),
            ("./a.json", "a.json", true),
            ("?.json", "ab.json", false),
            ("a**b", "a/x/b", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn splits_are_words_of_their_own() {
        for (path, expected) in [
            ("main/test-00000-of-00001.parquet", Some("test")),
            ("test.jsonl", Some("test")),
            ("clean/test/0000.parquet", Some("test")),
            ("data/dev_1.json", Some("validation")),
            ("latest.json", None),
            ("contest/train.json", Some("train")),
            ("mmstar.parquet", None),
        ] {
            assert_eq!(split_of(path), expected, "{path}");
        }
        assert_eq!((canonical("val"), canonical("odd")), ("validation", "odd"));
    }

    proptest! {
        #[test]
        fn a_path_fits_itself_and_no_pattern_panics(path in "[a-z/.]{0,12}", pattern in "[a-z*?/.]{0,12}") {
            prop_assert!(matches(&path, &path) || path.starts_with("./"));
            let _ = matches(&pattern, &path);
        }
    }
}
