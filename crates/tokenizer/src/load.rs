//! From a name to a tokenizer: `builtin`, something on disk, or an id on the hub, in this order.

use std::path::Path;
use std::sync::Arc;

use aiperf_hub::HubEnvironment;

use crate::builtin::Builtin;
use crate::hub;
use crate::json::JsonTokenizer;
use crate::{Tokenizer, TokenizerError};

/// The name of the tokenizer that is compiled in.
pub const BUILTIN: &str = "builtin";

pub(crate) const FILE: &str = "tokenizer.json";

/// Which tokenizer is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenizerRequest {
    /// `builtin`, a folder, a `tokenizer.json`, or a Hugging Face id.
    pub name: String,
    /// Branch, tag or commit on the hub.
    pub revision: String,
}

impl TokenizerRequest {
    /// The tokenizer of this name at revision `main`.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), revision: "main".to_owned() }
    }
}

/// Finds and reads the tokenizer. Only an id that is not in the hub cache makes it touch the network.
pub fn load(request: &TokenizerRequest, environment: &HubEnvironment) -> Result<Arc<dyn Tokenizer>, TokenizerError> {
    let name = request.name.as_str();
    if name == BUILTIN {
        return Ok(Arc::new(Builtin));
    }
    let path = Path::new(name);
    let file = if path.is_dir() {
        let file = path.join(FILE);
        if !file.is_file() {
            return Err(TokenizerError::NoTokenizerJson { folder: path.to_owned() });
        }
        file
    } else if path.is_file() {
        path.to_owned()
    } else if looks_like_a_path(name) {
        return Err(TokenizerError::NoSuchPath { name: name.to_owned() });
    } else {
        hub::tokenizer_file(name, &request.revision, environment)?
    };
    Ok(Arc::new(JsonTokenizer::read(name, &file)?))
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
    fn a_missing_path_is_not_taken_for_an_id() {
        for name in ["./nowhere", "/nowhere/at/all", "nowhere/tokenizer.json", "a/b/c"] {
            assert!(error(name).contains("no such file or folder"), "{name}: {}", error(name));
        }
    }

    #[test]
    fn a_folder_without_tokenizer_json_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = error(folder.path().to_str().unwrap());
        assert!(error.contains("holds no tokenizer.json"), "{error}");
    }

    #[test]
    fn something_that_is_no_id_is_refused_before_any_lookup() {
        assert!(error("no spaces allowed").contains("not a Hugging Face id"));
        assert!(error("owner/..").contains("not a Hugging Face id"));
    }
}
