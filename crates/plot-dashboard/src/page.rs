//! The page. Its files are part of the program: it loads nothing from anywhere else.

use aiperf_web_access::refuse;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What the page may load and where it may connect: to this server only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

const INDEX: &str = include_str!("../page/index.html");

const FILES: &[(&str, &str, &str)] = &[
    ("board.css", "text/css; charset=utf-8", include_str!("../page/board.css")),
    ("icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
    ("board.js", SCRIPT, include_str!("../page/board.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("editor.js", SCRIPT, include_str!("../page/editor.js")),
    ("exports.js", SCRIPT, include_str!("../page/exports.js")),
    ("picture.js", SCRIPT, include_str!("../page/picture.js")),
    ("run_dialog.js", SCRIPT, include_str!("../page/run_dialog.js")),
    ("runs.js", SCRIPT, include_str!("../page/runs.js")),
    ("server.js", SCRIPT, include_str!("../page/server.js")),
    ("state.js", SCRIPT, include_str!("../page/state.js")),
    ("tile.js", SCRIPT, include_str!("../page/tile.js")),
];

pub(crate) async fn index() -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, INDEX).into_response()
}

/// The letters of the charts, as their places are computed for them.
const TYPEFACES: [&str; 2] = ["typeface-regular.ttf", "typeface-bold.ttf"];

pub(crate) async fn file(Path(name): Path<String>) -> Response {
    if let Some(at) = TYPEFACES.iter().position(|file| *file == name) {
        let headers = [(header::CONTENT_TYPE, "font/ttf"), (header::CACHE_CONTROL, "max-age=86400")];
        return (headers, aiperf_plot::typeface_files()[at]).into_response();
    }
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
        let text: String = FILES.iter().map(|(_, _, text)| *text).chain([INDEX]).collect();
        for (name, ..) in FILES {
            let is_used = text.contains(&format!("page/{name}")) || text.contains(&format!("./{name}"));
            assert!(is_used, "nothing uses {name}");
        }
        for part in text.split('"').filter(|part| part.starts_with("./") || part.starts_with("page/")) {
            let name = part.trim_start_matches("./").trim_start_matches("page/");
            assert!(FILES.iter().any(|(file, ..)| *file == name) || TYPEFACES.contains(&name), "{part} is not served");
        }
    }

    #[test]
    fn the_page_names_no_other_host_and_writes_no_markup() {
        for (name, _, text) in FILES.iter().chain(&[("index.html", "", INDEX)]) {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{name} names another host");
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!text.contains(word), "{name} uses {word}");
            }
        }
    }
}
