//! The APIs, one file each: how a turn becomes a request body and how a response is read.
//!
//! The registry of `aiperf-protocol` lists the files, and each offers a function `endpoint`. A new API is one file here and one entry
//! there. `declared` has the types that plugin packs declare.

use std::sync::Arc;

use aiperf_protocol::EndpointKind;

pub(crate) use self::chat::append as append_chat;
pub(crate) use self::completions::append as append_completions;
pub use self::declared::check_declaration;
use crate::{Endpoint, EndpointSettings};

mod declared;

/// Declares the file of an entry, unless it belongs to an earlier one.
macro_rules! declare {
    (mod $module:ident) => {
        mod $module;
    };
    (use $module:ident) => {};
}

macro_rules! implementations {
    ($($kind:ident $name:literal $link:ident $module:ident { $($facts:tt)* };)*) => {
        $(declare!($link $module);)*

        /// The implementation of an endpoint type.
        pub fn of(kind: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
            match kind {
                $(EndpointKind::$kind => $module::endpoint(kind, settings),)*
                EndpointKind::Declared(endpoint) => declared::endpoint(endpoint, settings),
            }
        }
    };
}

aiperf_protocol::for_each_endpoint!(implementations);
