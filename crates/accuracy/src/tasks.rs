//! The names of the parts of benchmarks.

use crate::RowError;

/// The subjects of MMLU.
#[rustfmt::skip]
pub(crate) const MMLU_SUBJECTS: &[&str] = &[
    "abstract_algebra", "anatomy", "astronomy", "business_ethics", "clinical_knowledge", "college_biology", "college_chemistry",
    "college_computer_science", "college_mathematics", "college_medicine", "college_physics", "computer_security", "conceptual_physics",
    "econometrics", "electrical_engineering", "elementary_mathematics", "formal_logic", "global_facts", "high_school_biology",
    "high_school_chemistry", "high_school_computer_science", "high_school_european_history", "high_school_geography",
    "high_school_government_and_politics", "high_school_macroeconomics", "high_school_mathematics", "high_school_microeconomics",
    "high_school_physics", "high_school_psychology", "high_school_statistics", "high_school_us_history", "high_school_world_history",
    "human_aging", "human_sexuality", "international_law", "jurisprudence", "logical_fallacies", "machine_learning", "management", "marketing",
    "medical_genetics", "miscellaneous", "moral_disputes", "moral_scenarios", "nutrition", "philosophy", "prehistory",
    "professional_accounting", "professional_law", "professional_medicine", "professional_psychology", "public_relations",
    "security_studies", "sociology", "us_foreign_policy", "virology", "world_religions",
];

/// The categories of MMLU-Pro.
#[rustfmt::skip]
pub(crate) const MMLU_PRO_CATEGORIES: &[&str] = &[
    "biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law", "math", "other",
    "philosophy", "physics", "psychology",
];

/// The activities of `HellaSwag`, in the order in which their questions are asked.
pub(crate) fn hellaswag_activities() -> Vec<&'static str> {
    include_str!("../data/hellaswag_activities.txt").lines().collect()
}

/// The tasks that a user asked for, in the user's order, or all. Case, blanks, `-` and `_` do not matter in names.
pub(crate) fn chosen(
    names: &[String],
    valid: &[&'static str],
    kind: &'static str,
) -> Result<Vec<&'static str>, RowError> {
    let all = |name: &String| name.eq_ignore_ascii_case("all");
    if names.iter().any(all) && names.len() > 1 {
        return Err(RowError::AllAndOthers(kind));
    }
    if names.is_empty() || names.iter().any(all) {
        return Ok(valid.to_vec());
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let find = |name: &String| {
        valid.iter().copied().find(|task| plain(task) == plain(name)).ok_or_else(|| RowError::UnknownTask {
            kind,
            name: name.clone(),
            valid: valid.join(", "),
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling_and_unknown_ones_are_refused() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let find = |given: &[&str]| chosen(&names(given), MMLU_PRO_CATEGORIES, "categories");
        assert_eq!(find(&["Computer_Science", "math"]), Ok(vec!["computer science", "math"]));
        assert_eq!(find(&["all"]).map(|all| all.len()), Ok(14));
        assert_eq!(find(&["all", "law"]), Err(RowError::AllAndOthers("categories")));
        assert!(matches!(find(&["maths"]), Err(RowError::UnknownTask { .. })));
        assert_eq!((MMLU_SUBJECTS.len(), hellaswag_activities().len()), (57, 192));
    }
}
