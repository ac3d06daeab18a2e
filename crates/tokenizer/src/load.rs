//! Loads a tokenizer by name: `builtin`, a path on disk, or an id on the hub, in this order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_hub::HubEnvironment;

use crate::builtin::Builtin;
use crate::chat::{CONFIG_FILE, ChatTemplate, TEMPLATE_FILE};
use crate::fast::{FastTokenizer, TableCache};
use crate::hub;
use crate::json::JsonTokenizer;
use crate::{Tokenizer, TokenizerError};

/// The name of the built-in tokenizer.
pub const BUILTIN: &str = "builtin";

pub(crate) const FILE: &str = "tokenizer.json";

/// The tokenizer to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenizerRequest {
    /// `builtin`, a folder, a `tokenizer.json`, or a Hugging Face id.
    pub name: String,
    /// The branch, tag or commit on the hub.
    pub revision: String,
    /// Whether its chat template is needed; it is an error then if there is none.
    pub chat_template: bool,
}

impl TokenizerRequest {
    /// The tokenizer of this name at revision `main`.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), revision: "main".to_owned(), chat_template: false }
    }
}

/// Finds and reads the tokenizer. The network is used only for an id that is not in the hub cache.
pub fn load(request: &TokenizerRequest, environment: &HubEnvironment) -> Result<Arc<dyn Tokenizer>, TokenizerError> {
    let name = request.name.as_str();
    if name == BUILTIN {
        if request.chat_template {
            return Err(TokenizerError::NoChatTemplate { name: name.to_owned() });
        }
        return Ok(Arc::new(Builtin));
    }
    let files = if let Some(tokenizer) = on_disk(name)? {
        TokenizerFiles::next_to(tokenizer)
    } else {
        let fetch = |file: &str| hub::file(file, name, &request.revision, environment);
        let tokenizer = fetch(FILE)?;
        // A repository may have either of the two; they are only needed for the template.
        let optional = |file: &str| request.chat_template.then(|| fetch(file).ok()).flatten();
        TokenizerFiles { tokenizer, template: optional(TEMPLATE_FILE), config: optional(CONFIG_FILE) }
    };
    let template = || ChatTemplate::read(name, files.template.as_deref(), files.config.as_deref());
    let tables = TableCache::new(environment.tokenizer_tables().map(Path::to_owned));
    if let Some(tokenizer) = FastTokenizer::read(name, &files.tokenizer, &tables) {
        return Ok(if request.chat_template {
            Arc::new(tokenizer.with_chat_template(template()?))
        } else {
            Arc::new(tokenizer)
        });
    }
    let tokenizer = JsonTokenizer::read(name, &files.tokenizer)?;
    Ok(if request.chat_template { Arc::new(tokenizer.with_chat_template(template()?)) } else { Arc::new(tokenizer) })
}

/// The files of a tokenizer.
struct TokenizerFiles {
    tokenizer: PathBuf,
    template: Option<PathBuf>,
    config: Option<PathBuf>,
}

impl TokenizerFiles {
    fn next_to(tokenizer: PathBuf) -> Self {
        let there = |name: &str| Some(tokenizer.with_file_name(name)).filter(|path| path.is_file());
        Self { template: there(TEMPLATE_FILE), config: there(CONFIG_FILE), tokenizer }
    }
}

/// Whether a tokenizer of this name comes from the hub, where it has revisions.
pub fn has_revisions(name: &str) -> bool {
    name != BUILTIN && matches!(on_disk(name), Ok(None))
}

/// The `tokenizer.json` of a name that is a path; `None` for an id.
fn on_disk(name: &str) -> Result<Option<PathBuf>, TokenizerError> {
    let path = Path::new(name);
    if path.is_dir() {
        let file = path.join(FILE);
        if !file.is_file() {
            return Err(TokenizerError::NoTokenizerJson { folder: path.to_owned() });
        }
        Ok(Some(file))
    } else if path.is_file() {
        Ok(Some(path.to_owned()))
    } else if looks_like_a_path(name) {
        Err(TokenizerError::NoSuchPath { name: name.to_owned() })
    } else {
        Ok(None)
    }
}

fn looks_like_a_path(name: &str) -> bool {
    let is_json = Path::new(name).extension().is_some_and(|extension| extension == "json");
    name.starts_with(['/', '.', '~']) || name.ends_with('/') || is_json || name.matches('/').count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str) -> String {
        let environment = HubEnvironment::from_variables(|v| (v == "HF_HUB_OFFLINE").then(|| "1".to_owned()));
        load(&TokenizerRequest::named(name), &environment).unwrap_err().to_string()
    }

    #[test]
    fn builtin_needs_neither_file_nor_network() {
        let environment = HubEnvironment::from_variables(|v| (v == "HF_HUB_OFFLINE").then(|| "1".to_owned()));
        assert_eq!(load(&TokenizerRequest::named("builtin"), &environment).unwrap().count("hello world"), 2);
    }

    #[test]
    fn only_tokenizers_of_the_hub_have_revisions() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{}").unwrap();
        assert!(has_revisions("org/model"));
        assert!(!has_revisions(BUILTIN) && !has_revisions(folder.path().to_str().unwrap()));
    }

    #[test]
    fn a_missing_path_is_not_taken_for_an_id() {
        for name in ["./nowhere", "/nowhere/at/all", "nowhere/tokenizer.json", "a/b/c"] {
            assert!(error(name).contains("no such file or folder"), "{name}: {}", error(name));
        }
    }

    #[test]
    fn a_folder_without_tokenizer_json_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = error(folder.path().to_str().unwrap());
        assert!(error.contains("contains no tokenizer.json"), "{error}");
    }

    #[test]
    fn something_that_is_no_id_is_refused_before_any_lookup() {
        assert!(error("no spaces allowed").contains("not a Hugging Face id"));
        assert!(error("owner/..").contains("not a Hugging Face id"));
    }
}
