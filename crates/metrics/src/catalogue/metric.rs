//! A metric by name, and the macro that makes the catalogue's rows into one enum with a definition for each.

use crate::catalogue::rows::DEFINITIONS;
use crate::{Definition, Flags, Metric};

/// Row order on the console: a number, or `last`.
macro_rules! order {
    (last) => {
        None
    };
    ($order:literal) => {
        Some($order)
    };
}

/// Each row: name, tag, header; unit => unit shown, kind, console table and order, flags; formula.
macro_rules! catalogue {
    ($($name:ident $tag:literal $header:literal; $unit:ident => $shown:ident, $kind:ident, $group:ident $order:tt,
       [$($flag:ident)*]; $formula:literal;)*) => {
        /// A metric; its [`Definition`](crate::Definition) says the rest.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Metric { $($name),* }

        pub(crate) const DEFINITIONS: &[crate::Definition] = &[$(crate::Definition {
            tag: $tag, header: $header, unit: $unit, shown: $shown, kind: crate::MetricKind::$kind,
            group: crate::ConsoleGroup::$group, order: $crate::catalogue::metric::order!($order),
            flags: crate::Flags(0 $(| crate::Flags::$flag.0)*), formula: $formula,
        }),*];

        impl Metric {
            /// All metrics, in catalogue order.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}
pub(crate) use {catalogue, order};

impl Metric {
    pub fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    pub fn tag(self) -> &'static str {
        self.definition().tag
    }

    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.tag() == tag)
    }

    pub(crate) fn has(self, flag: Flags) -> bool {
        self.definition().flags.has(flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_own_tag_and_a_formula() {
        for (index, metric) in Metric::ALL.iter().enumerate() {
            let definition = metric.definition();
            assert_eq!(*metric as usize, index);
            assert_eq!(Metric::from_tag(metric.tag()), Some(*metric));
            assert!(definition.formula.len() > 5 && !definition.header.is_empty(), "{}", metric.tag());
            assert!(definition.tag.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
        }
    }
}
