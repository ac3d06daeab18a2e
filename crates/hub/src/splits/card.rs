//! The `configs` section of a dataset card: the YAML head of a README, which names the subsets of a data set and the files of
//! their splits. A head that cannot be parsed counts as absent; the hub's own conversion of the data set is used then.

use serde::Deserialize;
use serde_saphyr::options::DuplicateKeyPolicy;

/// One subset and the files of its splits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CardConfig {
    pub(super) name: String,
    pub(super) is_default: bool,
    /// Pairs of split and pattern. Files without a split belong to the train split.
    files: Vec<(Option<String>, String)>,
}

impl CardConfig {
    /// The patterns of a split's files.
    pub(super) fn patterns<'c>(&'c self, split: &'c str) -> impl Iterator<Item = &'c str> {
        let of_split = move |stated: &Option<String>| stated.as_deref().unwrap_or("train") == split;
        self.files.iter().filter(move |(stated, _)| of_split(stated)).map(|(_, pattern)| pattern.as_str())
    }
}

/// The part of the head that is read.
#[derive(Deserialize)]
struct CardHead {
    #[serde(default)]
    configs: Vec<ConfigEntry>,
}

#[derive(Deserialize)]
struct ConfigEntry {
    #[serde(default)]
    config_name: String,
    #[serde(default)]
    default: bool,
    data_dir: Option<String>,
    data_files: Option<DataFiles>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DataFiles {
    Pattern(String),
    List(Vec<DataFile>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DataFile {
    Pattern(String),
    OfSplit { split: Option<String>, path: FilePatterns },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FilePatterns {
    One(String),
    Many(Vec<String>),
}

/// The subsets that the head of a README lists, without those that name no files.
pub(super) fn configs(readme: &str) -> Vec<CardConfig> {
    let Some(head) = head(readme) else { return Vec::new() };
    let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::LastWins };
    match serde_saphyr::from_str_with_options::<CardHead>(&head, options) {
        Ok(head) => head.configs.into_iter().map(config).filter(|config| !config.files.is_empty()).collect(),
        Err(error) => {
            log::debug!("the YAML head of the README cannot be parsed: {error}");
            Vec::new()
        }
    }
}

/// The lines between the two `---` at the start.
fn head(readme: &str) -> Option<String> {
    let mut lines = readme.trim_start_matches('\u{feff}').lines();
    lines.next().filter(|line| line.trim_end() == "---")?;
    let head: Vec<&str> = lines.take_while(|line| line.trim_end() != "---").collect();
    (!head.is_empty()).then(|| head.join("\n"))
}

fn config(entry: ConfigEntry) -> CardConfig {
    let mut files = match entry.data_files {
        None => Vec::new(),
        Some(DataFiles::Pattern(pattern)) => vec![(None, pattern)],
        Some(DataFiles::List(list)) => list.into_iter().flat_map(split_files).collect(),
    };
    if let Some(folder) = entry.data_dir.as_deref().map(|folder| folder.trim_matches('/')) {
        for (_, pattern) in &mut files {
            *pattern = format!("{folder}/{pattern}");
        }
        if files.is_empty() {
            files.push((None, format!("{folder}/**")));
        }
    }
    CardConfig { name: entry.config_name, is_default: entry.default, files }
}

fn split_files(file: DataFile) -> Vec<(Option<String>, String)> {
    match file {
        DataFile::Pattern(pattern) => vec![(None, pattern)],
        DataFile::OfSplit { split, path: FilePatterns::One(pattern) } => vec![(split, pattern)],
        DataFile::OfSplit { split, path: FilePatterns::Many(patterns) } => {
            patterns.into_iter().map(|pattern| (split.clone(), pattern)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of<'c>(config: &'c CardConfig, split: &'c str) -> Vec<&'c str> {
        config.patterns(split).collect()
    }

    #[test]
    fn the_style_of_the_hubs_own_tools_is_read() {
        let readme = "---\nlicense: mit\nconfigs:\n- config_name: main\n  data_files:\n  - split: train\n    path: main/train-*\n  \
                      - split: test\n    path:\n    - main/test-*\n    - extra/*.parquet\n  default: true\n- config_name: socratic\n  \
                      data_files: \"s.jsonl\"\ntags:\n- x\n---\n# Title\n";
        let configs = configs(readme);
        assert_eq!(configs.len(), 2);
        assert!(configs[0].is_default && configs[0].name == "main");
        assert_eq!(of(&configs[0], "train"), ["main/train-*"]);
        assert_eq!(of(&configs[0], "test"), ["main/test-*", "extra/*.parquet"]);
        assert_eq!(of(&configs[1], "train"), ["s.jsonl"]);
        assert!(of(&configs[1], "test").is_empty());
    }

    #[test]
    fn indented_lists_brackets_and_folders_are_read_too() {
        let readme = "---\nconfigs:\n  - config_name: a\n    data_files: [\"x.json\", 'y.json']\n  - config_name: b\n    data_dir: sub/\n---";
        let configs = configs(readme);
        assert_eq!(of(&configs[0], "train"), ["x.json", "y.json"]);
        assert_eq!(of(&configs[1], "train"), ["sub/**"]);
    }

    #[test]
    fn comments_quotes_numbers_and_flow_style_are_read() {
        let readme = "---\nsize: {n: 1}\nconfigs: # all of them\n- {config_name: 2024, default: yes, data_files: [{split: test, path: 'a/*'}]}\n---\n";
        let configs = configs(readme);
        assert_eq!((configs[0].name.as_str(), configs[0].is_default), ("2024", true));
        assert_eq!(of(&configs[0], "test"), ["a/*"]);
    }

    #[test]
    fn a_readme_without_a_head_says_nothing() {
        for readme in ["", "# Title", "---\n---", "---\nconfigs: 5\n---", "text\n---\nconfigs:\n- config_name: a\n---"]
        {
            assert!(configs(readme).is_empty(), "{readme}");
        }
    }

    proptest! {
        #[test]
        fn no_head_makes_the_reader_panic(head in "(configs:\n)?([ -]{0,4}(config_name|data_files|path|split|x)?:? ?[a-z*\\[\\]\"',]{0,6}\n){0,8}") {
            let _ = configs(&format!("---\n{head}---\n"));
        }
    }
}
