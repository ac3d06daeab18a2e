//! The `configs` in the YAML head of a README, in the plain block style that the hub's tools write. Anything fancier is not
//! understood and leaves out what it says; the hub's conversion then serves.

/// One subset and the files of its splits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CardConfig {
    pub(super) name: String,
    pub(super) is_default: bool,
    /// `None` as the split: files that belong to the train split because nothing else is said.
    files: Vec<(Option<String>, String)>,
    folder: Option<String>,
}

impl CardConfig {
    /// The patterns of a split's files.
    pub(super) fn patterns<'c>(&'c self, split: &'c str) -> impl Iterator<Item = &'c str> {
        let of = move |stated: &Option<String>| match stated {
            Some(stated) => stated == split,
            None => split == "train",
        };
        self.files.iter().filter(move |(stated, _)| of(stated)).map(|(_, pattern)| pattern.as_str())
    }
}

/// One line of the head: how deep it stands, what it says.
struct Line<'t> {
    indent: usize,
    /// Begins an item of a list.
    item: bool,
    key: Option<&'t str>,
    value: &'t str,
}

pub(super) fn configs(readme: &str) -> Vec<CardConfig> {
    let mut lines = head(readme).skip_while(|line| line.indent > 0 || line.key != Some("configs"));
    let Some(_) = lines.next() else { return Vec::new() };
    let mut found: Vec<CardConfig> = Vec::new();
    let mut depth = None;
    // The list that a bare item belongs to, and the split that was named last.
    let mut list = "";
    let mut split: Option<String> = None;
    for line in lines {
        if line.indent == 0 && !line.item {
            break;
        }
        if line.item && depth.is_none_or(|depth| line.indent <= depth) {
            depth = Some(line.indent);
            found.push(CardConfig::default());
            (list, split) = ("", None);
        }
        let Some(config) = found.last_mut() else { continue };
        let value = unquoted(line.value);
        match line.key {
            Some("config_name") => value.clone_into(&mut config.name),
            Some("default") => config.is_default = value == "true",
            Some("data_dir") => config.folder = Some(value.trim_matches('/').to_owned()),
            Some("split") => split = Some(value.to_owned()),
            Some(key @ ("data_files" | "path")) => {
                list = key;
                if key == "data_files" {
                    split = None;
                }
                for pattern in patterns(value) {
                    config.files.push((split.clone(), pattern));
                }
            }
            Some(_) => list = "",
            None if line.item && !list.is_empty() => config.files.push((split.clone(), value.to_owned())),
            None => {}
        }
    }
    for config in &mut found {
        if let Some(folder) = config.folder.take() {
            for (_, pattern) in &mut config.files {
                *pattern = format!("{folder}/{pattern}");
            }
            if config.files.is_empty() {
                config.files.push((None, format!("{folder}/**")));
            }
        }
    }
    found.retain(|config| !config.files.is_empty());
    found
}

/// The lines between the two `---`, without comments and blanks.
fn head(readme: &str) -> impl Iterator<Item = Line<'_>> {
    let mut lines = readme.trim_start_matches('\u{feff}').lines();
    let begins = lines.next().is_some_and(|line| line.trim_end() == "---");
    let lines = lines.take_while(move |line| begins && line.trim_end() != "---");
    lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')).map(|line| {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let (item, text) = match text.strip_prefix('-') {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => (true, rest.trim_start()),
            _ => (false, text),
        };
        let is_key = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let (key, value) = match text.split_once(':') {
            Some((key, value)) if is_key(key) && (value.is_empty() || value.starts_with(' ')) => (Some(key), value),
            _ => (None, text),
        };
        Line { indent, item, key, value: value.trim() }
    })
}

/// One pattern, or several in brackets.
fn patterns(value: &str) -> Vec<String> {
    match value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
        Some(list) => list.split(',').map(|item| unquoted(item.trim()).to_owned()).filter(|i| !i.is_empty()).collect(),
        None if value.is_empty() => Vec::new(),
        None => vec![unquoted(value).to_owned()],
    }
}

fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
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
