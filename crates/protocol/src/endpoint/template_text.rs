//! The text of a payload template. It is compiled by `aiperf-endpoint`, so that a crate that only carries it needs no template
//! engine.

/// A payload template (Jinja) as its user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateText {
    pub source: String,
    /// Whether it can write the token limit of a turn. True if nobody has checked the text.
    pub may_write_limit: bool,
}

/// Templates that have a name.
const PRESETS: [(&str, &str); 1] = [("nv-embedqa", r#"{"text": {{ texts|tojson }}}"#)];

impl TemplateText {
    /// The source of the template with this name.
    pub fn preset(name: &str) -> Option<&'static str> {
        PRESETS.into_iter().find(|(preset, _)| *preset == name).map(|(_, source)| source)
    }
}
