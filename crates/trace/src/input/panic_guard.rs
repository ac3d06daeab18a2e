//! Turns panics of table readers into errors. The Parquet crate panics on some damaged files; such a panic is not
//! printed.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Parts of the source paths of the table readers and of the standard library.
const FOREIGN: [&str; 2] = ["/parquet-", "/library/"];

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The result of `read`, or the error `damaged` if it panics.
pub fn catch_panic<T>(damaged: &str, read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    silence_foreign_panics();
    let outer = IS_GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(outer);
    result.unwrap_or_else(|_| Err(damaged.to_owned()))
}

/// Installs a panic hook that does not print panics of other crates within a guard. Panics of this project are defects and
/// are printed.
fn silence_foreign_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !(IS_GUARDED.get() && panic.location().is_some_and(is_foreign)) {
                before(panic);
            }
        }));
    });
}

fn is_foreign(location: &Location<'_>) -> bool {
    FOREIGN.iter().any(|place| location.file().contains(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_all_else_passes() {
        assert_eq!(catch_panic("broken", || Ok(1)), Ok(1));
        assert_eq!(catch_panic::<()>("broken", || Err("told".to_owned())), Err("told".to_owned()));
        assert_eq!(catch_panic::<()>("broken", || panic!("on purpose")), Err("broken".to_owned()));
        assert!(!IS_GUARDED.get());
    }
}
