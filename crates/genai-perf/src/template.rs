//! `genai-perf create-template`: a skeleton of the file that `genai-perf config` runs.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::GenaiPerfFileError;
use crate::settings::{ANALYZE, ConfigSetting, PROCESS, SETTINGS, STIMULUS};

pub(crate) const NAME: &str = "genai_perf_config.yaml";
const HEAD: &str = "\
# Run this file with `genai-perf config --file THIS`. Keys with their default value can be left out. A section `analyze`
# makes one run per value; a section `process` merges finished runs.
";

/// The file that is to be written.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigTemplate {
    pub(crate) path: PathBuf,
    /// With what each key is for.
    pub(crate) explained: bool,
}

impl ConfigTemplate {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file; one that exists is left alone.
    pub fn write(&self) -> Result<(), GenaiPerfFileError> {
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&self.path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(GenaiPerfFileError::Exists { path: self.path.clone() });
            }
            opened => opened.map_err(GenaiPerfFileError::write(&self.path))?,
        };
        file.write_all(text(self.explained).as_bytes()).map_err(GenaiPerfFileError::write(&self.path))
    }
}

/// The skeleton: every key with what holds anyway, in the two blanks that GenAI-Perf puts before all.
pub(crate) fn text(explained: bool) -> String {
    let mut text = HEAD.to_owned();
    let mut open: Vec<&str> = Vec::new();
    // Of two names for the same thing one is enough.
    for setting in SETTINGS.iter().filter(|setting| setting.path != "model_name") {
        let parts: Vec<&str> = setting.path.split('.').collect();
        let Some((key, sections)) = parts.split_last() else { continue };
        let shared = open.iter().zip(sections).take_while(|(one, other)| one == other).count();
        let commented = [ANALYZE, PROCESS].contains(&setting.path);
        for (depth, section) in sections.iter().enumerate().skip(shared) {
            if depth == 0 {
                text.push('\n');
            }
            line(&mut text, depth, &format!("{}{section}:", if commented { "# " } else { "" }));
        }
        open = sections.to_vec();
        if explained {
            line(&mut text, sections.len(), &format!("# {}", setting.about));
        }
        if sections.is_empty() && !explained {
            text.push('\n');
        }
        write_value(&mut text, sections.len(), key, setting);
    }
    text
}

fn write_value(text: &mut String, depth: usize, key: &str, setting: &ConfigSetting) {
    match setting.path {
        ANALYZE => {
            line(text, depth, "# analyze:");
            line(text, depth, "#   concurrency:");
            line(text, depth, "#     start: 1");
            line(text, depth, "#     stop: 1024");
        }
        PROCESS => line(text, depth, &format!("# {key}: runs")),
        STIMULUS => line(text, depth, &format!("{key}: {{concurrency: 1}}")),
        _ if setting.usual.is_empty() => line(text, depth, &format!("{key}:")),
        _ => line(text, depth, &format!("{key}: {}", setting.usual)),
    }
}

fn line(text: &mut String, depth: usize, words: &str) {
    text.push_str(&"  ".repeat(depth + 1));
    text.push_str(words);
    text.push('\n');
}
