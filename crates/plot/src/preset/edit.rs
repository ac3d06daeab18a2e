//! Changes the text of a configuration file and keeps its comments: only the lines of what changed are replaced.

use std::ops::Range;

use super::document::PresetDocument;
use super::file::BUILT_IN_YAML;
use super::yaml;
use crate::RunMode;

impl PresetDocument {
    /// The text of a file that says what this document says. `old` is the text of the file that there is; without one, the
    /// built-in presets are changed.
    pub fn text(&self, old: Option<&str>) -> String {
        let old = old.unwrap_or(BUILT_IN_YAML);
        let edited = Self::parse(old).ok().and_then(|before| self.edited(old, &before));
        // A file in another style than expected cannot be changed line by line.
        let is_right = |text: &String| Self::parse(text).is_ok_and(|read| read == *self);
        edited.filter(is_right).unwrap_or_else(|| yaml::document(self).join("\n") + "\n")
    }

    fn edited(&self, old: &str, before: &Self) -> Option<String> {
        let mut text = YamlLines(old.lines().map(ToOwned::to_owned).collect());
        for (mode, plots_key, defaults_key) in [
            (RunMode::Multi, "multi_run_plots", "multi_run_defaults"),
            (RunMode::Single, "single_run_plots", "single_run_defaults"),
        ] {
            if before.defaults(mode) != self.defaults(mode) {
                text.set(&["visualization", defaults_key], Some(&yaml::names(defaults_key, self.defaults(mode))))?;
            }
            let (old_plots, plots) = (before.plots(mode), self.plots(mode));
            for name in old_plots.keys().filter(|name| !plots.contains_key(*name)) {
                text.set(&["visualization", plots_key, name], None)?;
            }
            for (name, plot) in plots.iter().filter(|(name, plot)| old_plots.get(*name) != Some(*plot)) {
                text.set(&["visualization", plots_key, name], Some(&yaml::preset(name, plot)))?;
            }
        }
        if before.dashboard != self.dashboard {
            let wide = &self.dashboard.wide;
            if wide.is_empty() {
                text.set(&["dashboard"], None)?;
            } else {
                text.set(&["dashboard", "wide"], Some(&yaml::names("wide", wide)))?;
            }
        }
        Some(text.0.join("\n") + "\n")
    }
}

/// The lines of a file.
struct YamlLines(Vec<String>);

impl YamlLines {
    /// Replaces a key and all that is below it, or adds it; without lines the key is taken out. `None` if the file has another
    /// style.
    fn set(&mut self, path: &[&str], lines: Option<&[String]>) -> Option<()> {
        let (last, above) = path.split_last()?;
        let (mut inside, mut indent) = (0..self.0.len(), 0);
        for key in above {
            let head = if let Some(found) = self.find(inside.clone(), key) {
                found.start
            } else {
                let at = self.end(inside.clone());
                self.0.insert(at, format!("{}{key}:", " ".repeat(self.indent(inside.clone()).unwrap_or(indent))));
                at
            };
            let (own, rest) = (indent_of(&self.0[head])?, self.0[head].split_once(':')?.1.trim().to_owned());
            if !matches!(rest.split(" #").next().unwrap_or_default().trim(), "" | "{}" | "null")
                && !rest.starts_with('#')
            {
                return None;
            }
            self.0[head] = format!("{}{key}:", " ".repeat(own));
            inside = head + 1..self.block_end(head, own);
            indent = own + 2;
        }
        let indent = self.indent(inside.clone()).unwrap_or(indent);
        let place = self.find(inside.clone(), last).unwrap_or_else(|| {
            let at = self.end(inside);
            at..at
        });
        let new = lines.unwrap_or_default().iter().map(|line| format!("{}{line}", " ".repeat(indent)));
        self.0.splice(place, new);
        Some(())
    }

    /// How far the keys of a part are from the left.
    fn indent(&self, inside: Range<usize>) -> Option<usize> {
        self.0[inside].iter().find_map(|line| indent_of(line))
    }

    /// The lines of a key and of all that is below it.
    fn find(&self, inside: Range<usize>, key: &str) -> Option<Range<usize>> {
        let indent = self.indent(inside.clone())?;
        let is_key = |line: &str| {
            let line = line.trim_start();
            let name = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")];
            name.iter().filter_map(|name| line.strip_prefix(name)).any(|rest| rest == ":" || rest.starts_with(": "))
        };
        let head = inside.into_iter().find(|at| indent_of(&self.0[*at]) == Some(indent) && is_key(&self.0[*at]))?;
        Some(head..self.block_end(head, indent))
    }

    /// The line after the last one that belongs to the key at `head`.
    fn block_end(&self, head: usize, indent: usize) -> usize {
        let belongs = |line: &str| match indent_of(line) {
            None => true,
            Some(own) => own > indent || (own == indent && line.trim_start().starts_with("- ")),
        };
        let after = self.0[head + 1..].iter().position(|line| !belongs(line));
        self.end(head..after.map_or(self.0.len(), |count| head + 1 + count))
    }

    /// The line after the last one that says something: comments and empty lines belong to what follows.
    fn end(&self, inside: Range<usize>) -> usize {
        let last = inside.clone().rev().find(|at| indent_of(&self.0[*at]).is_some());
        last.map_or(inside.start, |at| at + 1)
    }
}

/// Spaces before the first letter; none for an empty line or a comment.
fn indent_of(line: &str) -> Option<usize> {
    let text = line.trim_start_matches(' ');
    (!text.trim().is_empty() && !text.starts_with('#')).then(|| line.len() - text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, change: impl FnOnce(&mut PresetDocument)) -> String {
        let mut document = PresetDocument::parse(text).unwrap();
        change(&mut document);
        let new = document.text(Some(text));
        assert_eq!(PresetDocument::parse(&new).unwrap(), document, "{new}");
        new
    }

    #[test]
    fn nothing_changed_changes_nothing() {
        assert_eq!(changed(BUILT_IN_YAML, |_| ()), BUILT_IN_YAML);
    }

    #[test]
    fn a_changed_plot_leaves_comments_and_other_plots_alone() {
        let new = changed(BUILT_IN_YAML, |document| {
            let plots = &mut document.visualization.multi_run_plots;
            let mut mine = plots["ttft_vs_throughput"].clone();
            mine.title = Some("a: \"new\" # title".to_owned());
            plots.insert("mine: 1".to_owned(), mine);
            plots.get_mut("latency_throughput_uncertainty").unwrap().ci_level = Some(0.9);
            plots.remove("throughput_vs_latency");
            document.visualization.multi_run_defaults = vec!["mine: 1".to_owned(), "ttft_vs_throughput".to_owned()];
            document.dashboard.wide = vec!["mine: 1".to_owned()];
        });
        let comments = |text: &str| text.lines().filter(|line| line.trim_start().starts_with('#')).count();
        assert_eq!(comments(&new), comments(BUILT_IN_YAML));
        assert!(
            new.contains("      ci_level: 0.9\n")
                && !new.contains("throughput_vs_latency:\n      type: pareto\n      title: \"Output tokens against"),
            "{new}"
        );
        assert!(new.ends_with("dashboard:\n  wide:\n    - \"mine: 1\"\n"), "{new}");
        let again = changed(&new, |document| document.dashboard.wide.clear());
        assert!(!again.contains("dashboard:"), "{again}");
    }

    #[test]
    fn a_file_of_another_style_is_written_again_as_a_whole() {
        let flow = "visualization: {multi_run_defaults: [p], multi_run_plots: {p: {type: scatter, x: concurrency, y: request_latency}}}\n";
        let new = changed(flow, |document| document.visualization.multi_run_defaults.clear());
        assert!(new.starts_with("visualization:\n  multi_run_defaults: []\n"), "{new}");
        let empty = changed("# mine\nvisualization:\n  multi_run_plots: {}\n", |document| {
            let built_in = PresetDocument::parse(BUILT_IN_YAML).unwrap();
            document.visualization.multi_run_plots = built_in.visualization.multi_run_plots;
            document.visualization.single_run_plots = built_in.visualization.single_run_plots;
        });
        assert!(empty.starts_with("# mine\nvisualization:\n  multi_run_plots:\n    latency_"), "{empty}");
    }

    #[test]
    fn lists_may_begin_under_their_key() {
        let text = "visualization:\n  multi_run_defaults:\n  - p\n  - q\n  multi_run_plots:\n    p: {type: scatter, x: concurrency, y: request_latency}\n    q: {type: scatter, x: concurrency, y: request_latency}\n";
        let new = changed(text, |document| document.visualization.multi_run_defaults.reverse());
        assert!(new.contains("  multi_run_defaults:\n    - q\n    - p\n  multi_run_plots:\n    p: {type"), "{new}");
    }
}
