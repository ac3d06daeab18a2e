//! The search for a capacity: `sweep` with `type: capacity`.

use aiperf_options::catalogue::OptionId;

use super::Field;
use super::Form::{Duration, List, Scalar};

pub(crate) const CAPACITY: &[Field] = &[
    Field::new("slo", List(OptionId::Slo)),
    Field::new("of", Scalar(OptionId::CapacityOf)),
    Field::new("precision", Scalar(OptionId::Precision)),
    Field::new("max_requests", Scalar(OptionId::MaxRequests)),
    Field::new("max_duration", Duration(OptionId::MaxDuration)),
    Field::new("max_users", Scalar(OptionId::ConcurrencyMax)),
];
