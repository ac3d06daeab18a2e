//! One HTML file from the template, the scripts, the style and the data. A Content-Security-Policy with their hashes lets the
//! browser run these scripts and nothing else, and load nothing at all.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::HtmlReportError;
use crate::payload::{ColumnStore, embed};

const TEMPLATE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/style.css");

/// In the order in which they are joined: each uses only what comes before it.
const SHARED: [&str; 10] = [
    include_str!("../page/columns.js"),
    include_str!("../page/format.js"),
    include_str!("../page/dom.js"),
    include_str!("../page/scale.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/line_chart.js"),
    include_str!("../page/bar_chart.js"),
    include_str!("../page/heat_map.js"),
    include_str!("../page/statistics.js"),
    include_str!("../page/survival.js"),
];
const RUN: [&str; 7] = [
    include_str!("../page/timeline.js"),
    include_str!("../page/slo.js"),
    include_str!("../page/run_verdict.js"),
    include_str!("../page/run_charts.js"),
    include_str!("../page/run_server.js"),
    include_str!("../page/capacity.js"),
    include_str!("../page/run.js"),
];
const SWEEP: [&str; 2] = [include_str!("../page/sweep.js"), include_str!("../page/sweep_page.js")];
const COMPARISON: [&str; 1] = [include_str!("../page/comparison.js")];
const START: &str = include_str!("../page/start.js");

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    Run,
    Sweep,
    Comparison,
}

impl PageKind {
    fn scripts(self) -> &'static [&'static str] {
        match self {
            Self::Run => &RUN,
            Self::Sweep => &SWEEP,
            Self::Comparison => &COMPARISON,
        }
    }
}

pub(crate) fn write(
    kind: PageKind,
    title: &str,
    head: &Value,
    columns: &ColumnStore,
) -> Result<String, HtmlReportError> {
    let parts: Vec<&str> = SHARED.iter().chain(kind.scripts()).copied().chain([START]).collect();
    // One scope of its own, so that nothing of a page is global.
    let script = format!("\"use strict\";\n(() => {{\n{}\n}})();\n", parts.join("\n"));
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE)
    );
    Ok(TEMPLATE
        .replace("{policy}", &policy)
        .replace("{title}", &escape(title))
        .replace("{style}", STYLE)
        .replace("{script}", &script)
        // Last, and base64: nothing in it can look like a place of the template.
        .replace("{data}", &embed(head, columns)?))
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Text as it stands between tags.
fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A brace could look like a place of the template.
            '{' => escaped.push_str("&#123;"),
            other => escaped.push(other),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_names_no_address_and_says_what_may_run() {
        let page = write(PageKind::Run, "a", &json!({}), &ColumnStore::default()).unwrap();
        let quiet = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!quiet.contains("http://") && !quiet.contains("https://") && !quiet.contains("//cdn"));
        assert!(page.contains("default-src 'none'; script-src 'sha256-"));
        assert!(!page.contains("{script}") && !page.contains("{data}") && !page.contains("{policy}"));
        let scripts = SHARED.iter().chain(&RUN).chain(&SWEEP).chain(&COMPARISON).chain([&START]);
        for script in scripts {
            assert!(!script.contains("innerHTML") && !script.contains("eval("), "text goes in by textContent");
            // The place that is filled in after the scripts are there.
            assert!(!script.contains("{data}"), "it would be filled in");
        }
    }

    #[test]
    fn a_title_is_text() {
        let page = write(PageKind::Run, "</title><script>{data}", &json!({}), &ColumnStore::default()).unwrap();
        assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;&#123;data}</title>"));
    }
}
