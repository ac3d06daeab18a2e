//! Which validity notes fail a run (`--strict`).

use aiperf_config::Strict;
use aiperf_metrics::{Severity, ValidityCode, ValidityNote};

use crate::error::RunError;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Strictness {
    /// Notes are only reported.
    #[default]
    Lenient,
    EveryWarning,
    These(Vec<ValidityCode>),
}

impl Strictness {
    pub(crate) fn of(asked: Option<&Strict>) -> Result<Self, RunError> {
        let names = match asked {
            None => return Ok(Self::Lenient),
            Some(Strict::EveryWarning) => return Ok(Self::EveryWarning),
            Some(Strict::Codes(names)) => names,
        };
        let code = |name: &String| {
            ValidityCode::from_name(name).ok_or_else(|| {
                let known = ValidityCode::ALL.map(ValidityCode::name).join(", ");
                RunError::UnknownValidityCode { name: name.clone(), known }
            })
        };
        names.iter().map(code).collect::<Result<_, _>>().map(Self::These)
    }

    /// The notes that fail the run.
    pub(crate) fn refused(&self, notes: &[ValidityNote]) -> Vec<ValidityNote> {
        let refuses = |note: &&ValidityNote| match self {
            Self::Lenient => false,
            Self::EveryWarning => note.severity() == Severity::Warning,
            Self::These(codes) => codes.contains(&note.code()),
        };
        notes.iter().filter(refuses).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: ValidityNote = ValidityNote::RowsLeftOut { rows: 1 };
    const WARNING: ValidityNote = ValidityNote::ErrorShare { failed: 1, of: 2 };

    fn strictness(names: &[&str]) -> Result<Strictness, RunError> {
        Strictness::of(Some(&Strict::Codes(names.iter().map(|name| (*name).to_owned()).collect())))
    }

    #[test]
    fn without_codes_warnings_are_refused_and_with_codes_these_alone() {
        let notes = [WARNING, INFO];
        assert_eq!(Strictness::of(None).unwrap().refused(&notes), []);
        assert_eq!(Strictness::of(Some(&Strict::EveryWarning)).unwrap().refused(&notes), [WARNING]);
        assert_eq!(strictness(&["rows-left-out"]).unwrap().refused(&notes), [INFO]);
        assert_eq!(strictness(&["clock_step"]).unwrap().refused(&notes), []);
    }

    #[test]
    fn an_unknown_code_is_refused_with_the_known_ones() {
        let refused = strictness(&["error_share", "eror_share"]).unwrap_err().to_string();
        assert!(refused.contains("eror_share") && refused.contains("error_share, requests_resent"), "{refused}");
    }
}
