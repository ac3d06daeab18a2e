//! Text in pages: whatever a run left behind is shown as text and never as markup.

use std::fmt::Write as _;

/// What a page may load: nothing. Its own styles and scripts are in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Text between tags or in a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Browsers show these as nothing or as line breaks of their own.
            letter if letter.is_control() && !matches!(letter, '\n' | '\t') => {
                let _ = write!(safe, "\\u{{{:x}}}", letter as u32);
            }
            letter => safe.push(letter),
        }
    }
    safe
}

/// JSON that can stand in a script element: no text in it can end the element.
pub(crate) fn json_in_script(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// A whole page.
pub(crate) fn page(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            escaped("<b a='1' c=\"2\">&\u{0}</b>"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;\\u{0}&lt;/b&gt;"
        );
        let value = serde_json::json!({"name": "</script><script>alert(1)</script>"});
        let text = json_in_script(&value);
        assert!(!text.contains('<'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
