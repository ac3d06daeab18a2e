//! Data that options name, as the rules about data are tried on it.

use std::fs;

use super::{check, with_model};

/// A file, a folder and the options that name them, written `@file` and `@folder` in rules.
pub(super) struct Data {
    _folder: tempfile::TempDir,
    file: String,
    folder: String,
}

impl Data {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, pool) = (folder.path().join("data"), folder.path().join("pool"));
        fs::write(&path, r#"{"text": "hi"}"#).unwrap();
        fs::create_dir(&pool).unwrap();
        let named = |path: &std::path::Path| format!("--input-file={}", path.display());
        Self { file: named(&path), folder: named(&pool), _folder: folder }
    }

    fn filled<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        let fill = |word: &&'a str| match *word {
            "@file" => self.file.as_str(),
            "@folder" => self.folder.as_str(),
            word => word,
        };
        words.iter().map(fill).collect()
    }

    pub(super) fn refuses(&self, cases: &[(&[&str], &[&str])]) {
        for (words, parts) in cases {
            check(&[(&self.filled(words), parts)]);
        }
    }

    pub(super) fn takes(&self, cases: &[&[&str]]) {
        for words in cases {
            with_model(&self.filled(words)).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        }
    }
}
