//! The graders by the names of `--accuracy-grader`.

use std::fmt;
use std::str::FromStr;

use crate::{
    Grade, exact_match, lighteval_expr, lighteval_gpqa, lighteval_gsm8k, lighteval_latex, math, mmlu_pro,
    multiple_choice,
};

/// A grader that decides from the text alone. `code_execution`, which runs programs, is in `aiperf-code-grading`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grader {
    ExactMatch,
    Math,
    MultipleChoice,
    LightevalExpr,
    LightevalLatex,
    LightevalGpqa,
    LightevalGsm8k,
    MmluPro,
}

/// A name that is not the name of a grader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown grader {0:?}. Use one of: {names}.", names = Grader::ALL.map(Grader::name).join(", "))]
pub struct UnknownGrader(pub String);

impl Grader {
    pub const ALL: [Self; 8] = [
        Self::ExactMatch,
        Self::Math,
        Self::MultipleChoice,
        Self::LightevalExpr,
        Self::LightevalLatex,
        Self::LightevalGpqa,
        Self::LightevalGsm8k,
        Self::MmluPro,
    ];

    /// The name in files, with underscores.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExactMatch => "exact_match",
            Self::Math => "math",
            Self::MultipleChoice => "multiple_choice",
            Self::LightevalExpr => "lighteval_expr",
            Self::LightevalLatex => "lighteval_latex",
            Self::LightevalGpqa => "lighteval_gpqa",
            Self::LightevalGsm8k => "lighteval_gsm8k",
            Self::MmluPro => "mmlu_pro",
        }
    }

    /// Grades the text of one answer.
    pub fn grade(self, answer: &str, gold: &str) -> Grade {
        match self {
            Self::ExactMatch => exact_match::grade(answer, gold),
            Self::Math => math::grade(answer, gold),
            Self::MultipleChoice => multiple_choice::grade(answer, gold),
            Self::LightevalExpr => lighteval_expr::grade(answer, gold),
            Self::LightevalLatex => lighteval_latex::grade(answer, gold),
            Self::LightevalGpqa => lighteval_gpqa::grade(answer, gold),
            Self::LightevalGsm8k => lighteval_gsm8k::grade(answer, gold),
            Self::MmluPro => mmlu_pro::grade(answer, gold),
        }
    }
}

impl fmt::Display for Grader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Grader {
    type Err = UnknownGrader;

    /// `-` and `_` are the same, and `gsm8-k` is `gsm8k`.
    fn from_str(name: &str) -> Result<Self, UnknownGrader> {
        let plain = name.to_ascii_lowercase().replace('-', "_").replace("gsm8_k", "gsm8k");
        Self::ALL.into_iter().find(|grader| grader.name() == plain).ok_or_else(|| UnknownGrader(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_flag_are_accepted_with_both_separators() {
        for (name, grader) in [
            ("exact-match", Grader::ExactMatch),
            ("lighteval-gsm8-k", Grader::LightevalGsm8k),
            ("lighteval_gsm8k", Grader::LightevalGsm8k),
            ("mmlu-pro", Grader::MmluPro),
            ("LIGHTEVAL-GPQA", Grader::LightevalGpqa),
        ] {
            assert_eq!(name.parse(), Ok(grader));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_list() {
        let error = "regex".parse::<Grader>().unwrap_err().to_string();
        assert!(error.contains("\"regex\"") && error.contains("lighteval_latex"), "{error}");
    }
}
