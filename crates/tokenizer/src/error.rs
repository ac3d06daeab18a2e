//! Errors of loading a tokenizer, with the next step for the user.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    #[error(
        "tokenizer {name}: no such file or folder; give --tokenizer a folder with a tokenizer.json, the file itself, a \
         Hugging Face id, or builtin"
    )]
    NoSuchPath { name: String },

    #[error(
        "tokenizer {}: the folder contains no tokenizer.json; name another folder, or use --tokenizer builtin",
        folder.display()
    )]
    NoTokenizerJson { folder: PathBuf },

    #[error("cannot read {}: {reason}; check the file, or use --tokenizer builtin", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error("{} cannot be used as a tokenizer: {reason}; use another one, or --tokenizer builtin", path.display())]
    Invalid { path: PathBuf, reason: String },

    #[error(
        "tokenizer {name}: not a Hugging Face id (NAME or OWNER/NAME of letters, digits, '-', '_' and '.'); use \
         --tokenizer builtin or --tokenizer PATH"
    )]
    NotAnId { name: String },

    #[error("--tokenizer-revision {revision}: not a branch, tag or commit name")]
    NotARevision { revision: String },

    #[error(
        "tokenizer {id} (revision {revision}) is not in the cache {} and offline mode (HF_HUB_OFFLINE or \
         TRANSFORMERS_OFFLINE) forbids downloading it; download it once online, or use --tokenizer builtin or \
         --tokenizer PATH",
        cache.display()
    )]
    Offline { id: String, revision: String, cache: PathBuf },

    #[error(
        "tokenizer {id} (revision {revision}) is not in the cache {} and cannot be downloaded from {url}: {reason}; \
         use --tokenizer builtin or --tokenizer PATH",
        cache.display()
    )]
    Download { id: String, revision: String, cache: PathBuf, url: String, reason: String },

    #[error(
        "--apply-chat-template: tokenizer {name} has no chat template: it has no chat_template.jinja, and no \
         chat_template in a tokenizer_config.json; leave the option out, or set --tokenizer to a chat model"
    )]
    NoChatTemplate { name: String },

    #[error(
        "--apply-chat-template: the chat template of tokenizer {name} cannot be used: {reason}; leave the option out"
    )]
    ChatTemplate { name: String, reason: String },

    #[error("tokenizer {id} (revision {revision}): {reason}; use --tokenizer builtin or --tokenizer PATH")]
    Hub { id: String, revision: String, reason: String },
}
