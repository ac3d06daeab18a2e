//! How much larger than the answer a selection can get. Lists of selections double what they select from, and an expression can
//! put many of them behind each other.

use jmespath::ast::Ast;

/// The most copies of the answer that a selection may consist of. Those that people write are far below.
pub(super) const MOST: f64 = 1_000.0;
/// A text within a text has its quotes escaped.
const OF_TEXT_IN_TEXT: f64 = 2.0;
/// Of a glue that comes from the answer, and is put between all items of a list.
const OF_FOUND_GLUE: f64 = 25.0;

/// A bound of the copies of its input that an expression makes.
pub(super) fn of(expression: &Ast) -> f64 {
    match expression {
        Ast::Identity { .. } | Ast::Field { .. } | Ast::Index { .. } | Ast::Literal { .. } | Ast::Slice { .. } => 1.0,
        Ast::Expref { ast: node, .. }
        | Ast::Flatten { node, .. }
        | Ast::Not { node, .. }
        | Ast::ObjectValues { node, .. } => of(node),
        Ast::Comparison { lhs, rhs, .. } | Ast::And { lhs, rhs, .. } | Ast::Or { lhs, rhs, .. } => of(lhs).max(of(rhs)),
        Ast::Condition { predicate, then, .. } => of(predicate).max(of(then)),
        Ast::Projection { lhs, rhs, .. } | Ast::Subexpr { lhs, rhs, .. } => of(lhs) * of(rhs),
        Ast::MultiList { elements, .. } => elements.iter().map(of).sum::<f64>().max(1.0),
        Ast::MultiHash { elements, .. } => elements.iter().map(|pair| of(&pair.value)).sum::<f64>().max(1.0),
        Ast::Function { name, args, .. } => of_function(name, args),
    }
}

fn of_function(name: &str, args: &[Ast]) -> f64 {
    let own = match (name, args.first()) {
        ("to_string", _) => OF_TEXT_IN_TEXT,
        ("join", Some(glue)) if !matches!(glue, Ast::Literal { .. }) => OF_FOUND_GLUE,
        _ => 1.0,
    };
    own * args.iter().map(of).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(text: &str) -> f64 {
        of(&jmespath::parse(text).unwrap())
    }

    #[test]
    fn what_people_write_stays_as_large_as_the_answer() {
        for text in
            ["a.b[0].c", "results[*].text | [0]", "join(' ', data[].text)", "a[?n > `1`].b || c", "sort_by(a, &n)[-1]"]
        {
            assert!((growth(text) - 1.0).abs() < f64::EPSILON, "{text}");
        }
        assert!((growth("{a: x, b: y, c: z}.[a, b]") - 6.0).abs() < f64::EPSILON);
    }

    #[test]
    fn lists_of_selections_behind_each_other_multiply() {
        for step in ["[@, @]", "[@, @][]", "{a: @, b: @}.*", "to_string([@])"] {
            let chain = |length| vec![step; length].join(" | ");
            assert!(growth(&chain(5)) <= MOST, "{step}");
            assert!(growth(&chain(30)) > MOST, "{step}");
        }
        assert!(growth("map(&[@, @], [@, @])") >= 4.0);
        assert!(growth(&format!("{}@{}", "join(".repeat(30), ", @)".repeat(30))) > MOST);
        assert!(growth(&format!("{}@{}", "merge(@,".repeat(30), ")".repeat(30))) <= MOST);
    }
}
