//! The generated parts of `docs/statistics.md`, each between two comments that name it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// One part at a time.
static PAGE: Mutex<()> = Mutex::new(());

/// Fails where the page has another text for this part; writes it with `UPDATE_DOCS=1`.
pub(crate) fn hold(part: &str, wanted: &str) {
    let _turn = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/statistics.md");
    let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
    let page = fs::read_to_string(&path).unwrap();
    let start = page.find(&begin).unwrap_or_else(|| panic!("{} has no {begin}", path.display())) + begin.len();
    let length = page[start..].find(&end).unwrap_or_else(|| panic!("{} has no {end}", path.display()));
    if env::var_os("UPDATE_DOCS").is_some() {
        let page = format!("{}{wanted}{}", &page[..start], &page[start + length..]);
        fs::write(&path, page).unwrap();
    } else {
        assert!(
            &page[start..start + length] == wanted,
            "docs/statistics.md has another {part}; UPDATE_DOCS=1 writes it again:\n{wanted}"
        );
    }
}
