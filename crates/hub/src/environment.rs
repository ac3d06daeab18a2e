//! The hub's environment variables. They are read once, when the program starts, and passed in.

use std::path::{Path, PathBuf};

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

const TABLES_VARIABLE: &str = "AIPERF_TOKENIZER_CACHE";

/// The location of the hub and its cache, and the access token.
#[derive(Clone)]
pub struct HubEnvironment {
    pub(crate) home: PathBuf,
    pub(crate) cache: PathBuf,
    pub(crate) endpoint: String,
    pub(crate) token: Option<String>,
    pub(crate) offline: bool,
    pub(crate) proxy: Option<ureq::Proxy>,
    tables: Option<PathBuf>,
}

impl HubEnvironment {
    /// Reads the variables of this process, including the usual proxy variables.
    pub fn from_process() -> Self {
        let proxy = ureq::Proxy::try_from_env();
        Self { proxy, ..Self::from_variables(|name| std::env::var(name).ok()) }
    }

    /// Reads variables that the caller looks up: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME`, `XDG_CACHE_HOME`,
    /// `HOME`, `HF_ENDPOINT`, `HF_TOKEN`, `HUGGING_FACE_HUB_TOKEN`, `HF_TOKEN_PATH`, `HF_HUB_OFFLINE`,
    /// `TRANSFORMERS_OFFLINE`, `AIPERF_TOKENIZER_CACHE`. Without a token variable, the token file of the hub's own tools is read.
    pub fn from_variables(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| lookup(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        let user = set("HOME").unwrap_or_else(|| ".".to_owned());
        let folder = |name: &str| set(name).map(|value| expand_home(&value, &user));
        let home = folder("HF_HOME").unwrap_or_else(|| {
            folder("XDG_CACHE_HOME").unwrap_or_else(|| Path::new(&user).join(".cache")).join("huggingface")
        });
        let cache =
            folder("HF_HUB_CACHE").or_else(|| folder("HUGGINGFACE_HUB_CACHE")).unwrap_or_else(|| home.join("hub"));
        let token_file = folder("HF_TOKEN_PATH").unwrap_or_else(|| home.join("token"));
        let stored = || std::fs::read_to_string(token_file).ok().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        let user_cache = folder("XDG_CACHE_HOME").or_else(|| Some(Path::new(&set("HOME")?).join(".cache")));
        let is_off = set(TABLES_VARIABLE).is_some_and(|value| is_false(&value));
        let tables = user_cache.filter(|_| !is_off).map(|cache| cache.join("aiperf").join("tokenizers"));
        let endpoint = set("HF_ENDPOINT").unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        Self {
            home,
            cache,
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            token: set("HF_TOKEN").or_else(|| set("HUGGING_FACE_HUB_TOKEN")).or_else(stored),
            offline: ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"]
                .iter()
                .any(|name| set(name).is_some_and(|value| is_true(&value))),
            proxy: None,
            tables,
        }
    }
}

impl HubEnvironment {
    /// The folder that repositories are cached in.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The address of the hub.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Nothing may be downloaded.
    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// The folder for the tables of vocabularies; `None` if `AIPERF_TOKENIZER_CACHE` is off, or without a home.
    pub fn tokenizer_tables(&self) -> Option<&Path> {
        self.tables.as_deref()
    }
}

impl std::fmt::Debug for HubEnvironment {
    /// Without the token: it is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubEnvironment")
            .field("cache", &self.cache)
            .field("endpoint", &self.endpoint)
            .field("offline", &self.offline)
            .finish_non_exhaustive()
    }
}

fn expand_home(value: &str, user: &str) -> PathBuf {
    value.strip_prefix("~/").map_or_else(|| PathBuf::from(value), |rest| Path::new(user).join(rest))
}

fn is_false(value: &str) -> bool {
    matches!(value.to_ascii_uppercase().as_str(), "0" | "NO" | "FALSE")
}

fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_uppercase().as_str(), "1" | "ON" | "YES" | "TRUE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> HubEnvironment {
        HubEnvironment::from_variables(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_cache_is_where_the_hubs_own_tools_put_it() {
        let at = |variables: &[(&str, &str)]| environment(variables).cache;
        assert_eq!(at(&[("HOME", "/u")]), Path::new("/u/.cache/huggingface/hub"));
        assert_eq!(at(&[("HOME", "/u"), ("XDG_CACHE_HOME", "/x")]), Path::new("/x/huggingface/hub"));
        assert_eq!(at(&[("HOME", "/u"), ("HF_HOME", "~/hf")]), Path::new("/u/hf/hub"));
        assert_eq!(at(&[("HF_HOME", "/hf"), ("HUGGINGFACE_HUB_CACHE", "/old")]), Path::new("/old"));
        assert_eq!(at(&[("HF_HUB_CACHE", "/new"), ("HUGGINGFACE_HUB_CACHE", "/old")]), Path::new("/new"));
    }

    #[test]
    fn either_offline_variable_forbids_the_network() {
        assert!(environment(&[("HF_HUB_OFFLINE", "1")]).offline);
        assert!(environment(&[("TRANSFORMERS_OFFLINE", "yes")]).offline);
        assert!(!environment(&[("HF_HUB_OFFLINE", "0")]).offline);
        assert!(!environment(&[]).offline);
    }

    #[test]
    fn a_token_comes_from_the_variable_or_the_token_file_and_is_never_printed() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("token"), "from-file\n").unwrap();
        let home = home.path().to_str().unwrap();
        assert_eq!(environment(&[("HF_HOME", home)]).token.as_deref(), Some("from-file"));
        let both = environment(&[("HF_HOME", home), ("HF_TOKEN", "from-variable")]);
        assert_eq!(both.token.as_deref(), Some("from-variable"));
        assert!(!format!("{both:?}").contains("from-variable"));
    }

    #[test]
    fn an_endpoint_may_end_in_a_slash() {
        assert_eq!(environment(&[("HF_ENDPOINT", "http://mirror/")]).endpoint, "http://mirror");
        assert_eq!(environment(&[]).endpoint, DEFAULT_ENDPOINT);
    }
}
