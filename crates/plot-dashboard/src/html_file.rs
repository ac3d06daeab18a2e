//! Charts as one HTML file that opens anywhere: pictures and tables, no script, nothing from the network.

use std::fmt::Write as _;

use aiperf_plot::{Figure, Theme};

/// Rows of a table in the file; the CSV files have all.
const MOST_ROWS: usize = 500;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:24px auto;padding:0 16px}\
svg{width:100%;height:auto;border:1px solid #8884;border-radius:8px}section{margin-bottom:32px}\
table{border-collapse:collapse;font-size:13px}th,td{padding:2px 10px;text-align:right;border-bottom:1px solid #8883}\
th:first-child,td:first-child{text-align:left}summary{cursor:pointer;margin:8px 0}";
const DARK: &str = "body{background:#1a1a1a;color:#e0e0e0}";

/// The file. `pictures` are SVG, one for each figure.
pub(crate) fn html(figures: &[(Figure, String)], theme: Theme) -> String {
    let dark = if theme == Theme::Dark { DARK } else { "" };
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>aiperf charts</title>\n<style>{STYLE}{dark}</style>\n</head>\n<body>\n<h1>Charts</h1>\n"
    );
    for (figure, picture) in figures {
        let _ = writeln!(text, "<section>\n{picture}");
        let rows = figure.points.rows.len();
        let shown = if rows > MOST_ROWS { format!("the first {MOST_ROWS} of {rows}") } else { rows.to_string() };
        let _ =
            writeln!(text, "<details><summary>Points of “{}” ({shown})</summary>\n<table><tr>", escaped(&figure.title));
        for column in &figure.points.columns {
            let _ = write!(text, "<th>{}</th>", escaped(column));
        }
        text.push_str("</tr>\n");
        for row in figure.points.rows.iter().take(MOST_ROWS) {
            text.push_str("<tr>");
            for cell in row {
                let cell = match cell {
                    aiperf_plot::PointCell::Text(text) => text.clone(),
                    other => other.to_string(),
                };
                let _ = write!(text, "<td>{}</td>", escaped(&cell));
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</table></details>\n</section>\n");
    }
    text.push_str("</body>\n</html>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use aiperf_plot::{Axis, Bounds, PointTable};

    use super::*;

    #[test]
    fn hostile_texts_stay_texts() {
        let axis = || Axis::new("<b>", Bounds::FromZero);
        let mut figure = Figure::new("</summary><script>alert(1)</script>", axis(), axis());
        figure.points = PointTable::new(["<i>"]);
        figure.points.push(vec!["<img src=x onerror=alert(1)>".into()]);
        let picture = aiperf_plot::svg(&figure, Theme::Light);
        let text = html(&[(figure, picture)], Theme::Dark);
        for tag in ["<script", "<img", "<i>", "<b>"] {
            assert!(!text.contains(tag), "{tag}");
        }
        assert!(text.contains("&lt;img src=x"));
    }
}
