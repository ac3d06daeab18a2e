//! The live page for browsers. Its files are part of the program: it loads nothing from anywhere else.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::answer::refuse;

/// What the page may load and where it may connect: to this server only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: &[(&str, &str, &str)] = &[
    ("live.css", "text/css; charset=utf-8", include_str!("../page/live.css")),
    ("icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
    ("live.js", SCRIPT, include_str!("../page/live.js")),
    ("chart.js", SCRIPT, include_str!("../page/chart.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("ending.js", SCRIPT, include_str!("../page/ending.js")),
    ("feed.js", SCRIPT, include_str!("../page/feed.js")),
    ("figures.js", SCRIPT, include_str!("../page/figures.js")),
    ("format.js", SCRIPT, include_str!("../page/format.js")),
    ("progress.js", SCRIPT, include_str!("../page/progress.js")),
    ("tables.js", SCRIPT, include_str!("../page/tables.js")),
];

/// The addresses of the page. The last two are those of the reference's dashboards.
pub(crate) const ADDRESSES: [&str; 3] = ["/", "/dashboard", "/dashboard-v2"];

pub(crate) async fn index() -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, include_str!("../page/index.html")).into_response()
}

pub(crate) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(file, ..)| *file == name) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => refuse(StatusCode::NOT_FOUND, &format!("The page has no file {name}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_all_files_that_it_names_and_no_others() {
        let text: String = FILES.iter().map(|(_, _, text)| *text).chain([include_str!("../page/index.html")]).collect();
        for (name, ..) in FILES {
            assert!(
                text.contains(&format!("page/{name}")) || text.contains(&format!("./{name}")),
                "nothing uses {name}"
            );
        }
        let named = text.split('"').filter(|part| part.starts_with("./") || part.starts_with("page/"));
        for part in named {
            let name = part.trim_start_matches("./").trim_start_matches("page/");
            assert!(FILES.iter().any(|(file, ..)| *file == name), "{part} is not served");
        }
    }

    #[test]
    fn the_page_names_no_other_host_and_writes_no_markup() {
        for (name, _, text) in FILES {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{name} names another host");
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!text.contains(word), "{name} uses {word}");
            }
        }
    }
}
