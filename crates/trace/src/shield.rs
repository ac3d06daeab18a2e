//! Reads tables with crates that panic at some damaged files where they should complain: the panic becomes an error, and
//! nothing is printed of it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Where the readers of tables, and what they call of the standard library, have their code.
const FOREIGN: [&str; 2] = ["/parquet-", "/library/"];

thread_local! {
    static IS_SHIELDED: Cell<bool> = const { Cell::new(false) };
}

/// What `read` gives, or `damaged` if it panics.
pub fn shielded<T>(damaged: &str, read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    hush();
    let outer = IS_SHIELDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    IS_SHIELDED.set(outer);
    result.unwrap_or_else(|_| Err(damaged.to_owned()))
}

/// From now on, panics of others within a shield are not spoken of. Ours are defects and stay loud.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !(IS_SHIELDED.get() && panic.location().is_some_and(is_foreign)) {
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
        assert_eq!(shielded("broken", || Ok(1)), Ok(1));
        assert_eq!(shielded::<()>("broken", || Err("told".to_owned())), Err("told".to_owned()));
        assert_eq!(shielded::<()>("broken", || panic!("on purpose")), Err("broken".to_owned()));
        assert!(!IS_SHIELDED.get());
    }
}
