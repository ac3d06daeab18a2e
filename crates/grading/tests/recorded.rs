//! The verdicts of the original graders on recorded answers. Every difference from ours has its reason here.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;

use aiperf_grading::Grader;
use regex::Regex;

/// Why verdicts differ. The pattern is matched with the answer, `=>` and the gold answer.
struct Reason {
    graders: &'static [&'static str],
    ours_right: bool,
    pattern: &'static str,
    why: &'static str,
}

const MATH: &[&str] = &["math"];
const LIGHTEVAL: &[&str] = &["lighteval_expr", "lighteval_latex"];
const BOTH: &[&str] = &["math", "lighteval_expr", "lighteval_latex"];

#[rustfmt::skip]
const REASONS: &[Reason] = &[
    Reason { graders: MATH, ours_right: true, pattern: r"^final answer is .*[\\{]", why: "the original leaves the word `is` before the formula" },
    Reason { graders: BOTH, ours_right: true, pattern: r"\d\\,000", why: "the original does not join groups of digits at a thin space" },
    Reason { graders: BOTH, ours_right: true, pattern: r"i\^2", why: "the original does not know that i^2 is -1" },
    Reason { graders: BOTH, ours_right: true, pattern: r"(?s)(<|\\le).*=>.*\(|(?s)(<|\\le).*=>.*\[|\(.*=>.*<", why: "the original does not read the inequality of an answer as the interval of its solutions" },
    Reason { graders: LIGHTEVAL, ours_right: true, pattern: r"\\text\{ \w+\}(\^2)? \\\]", why: "the original drops a unit only if no blank follows it" },
    Reason { graders: MATH, ours_right: true, pattern: r"\\text\{ cm\}\^2|\\mathrm\{m\}|\\text\{ dollars\}", why: "the original keeps the exponent or the letters of some units as part of the value" },
    Reason { graders: MATH, ours_right: true, pattern: r"\\text\{ or \}", why: "the original joins the two values of `12 or 7` to one number" },
    Reason { graders: MATH, ours_right: true, pattern: r"\\pm", why: "the original does not read plus-minus as two values" },
    Reason { graders: MATH, ours_right: true, pattern: r"\\in ", why: "the original compares `x \\in [1, 2]` as text" },
    Reason { graders: MATH, ours_right: true, pattern: r"\d < t.*=>.*t > |t > .*=>.*\d < t", why: "the original does not turn an inequality round" },
    Reason { graders: MATH, ours_right: true, pattern: r"\\log_2", why: "the original loses the base of a logarithm" },
    Reason { graders: MATH, ours_right: true, pattern: r"\(\d+, (0\.5|\\frac)", why: "the original compares the elements of a tuple as text" },
    Reason { graders: MATH, ours_right: true, pattern: r"\bt[\^+-]|\dt|\}t|\{t\}|3n\+", why: "the original drops the letters t and n as units, or `y=` inside an equation" },
    Reason { graders: MATH, ours_right: true, pattern: r"f\(\w\) = ", why: "the original does not take the right side of `f(x) = 6x`" },
    Reason { graders: MATH, ours_right: true, pattern: r"\b0\.\d{3}\D*=>0\.\d{3}1$", why: "for numbers that differ by exactly 0.0001 the rounding errors of the original decide" },
    Reason { graders: MATH, ours_right: false, pattern: r"\[\d+, \d+\].*=>\[\d+, \d+\)", why: "the original ignores whether the end of an interval is closed" },
    Reason { graders: MATH, ours_right: false, pattern: r"-80.*=>.*\(t\+8\)\(t-10\)", why: "the original drops t as a unit and compares with 8 times -10" },
];

struct Row {
    grader: Grader,
    answer: String,
    gold: String,
    right: bool,
    unparsed: bool,
}

fn rows() -> Vec<Row> {
    include_str!("recorded/answers.jsonl")
        .lines()
        .map(|line| {
            let (grader, answer, gold, right, unparsed): (String, String, String, bool, bool) =
                serde_json::from_str(line).unwrap();
            Row { grader: grader.parse().unwrap(), answer, gold, right, unparsed }
        })
        .collect()
}

#[test]
fn every_grader_has_at_least_300_recorded_answers() {
    let rows = rows();
    for grader in Grader::ALL {
        let count = rows.iter().filter(|row| row.grader == grader).count();
        assert!(count >= 300, "{grader}: {count}");
    }
}

#[test]
fn every_verdict_is_the_original_one_or_differs_for_a_known_reason() {
    let patterns: Vec<Regex> = REASONS.iter().map(|reason| Regex::new(reason.pattern).unwrap()).collect();
    let mut used = BTreeSet::new();
    for row in rows() {
        let grade = row.grader.grade(&row.answer, &row.gold);
        let right = grade.verdict.is_right();
        if right == row.right {
            continue;
        }
        let text = format!("{}=>{}", row.answer, row.gold);
        let reasons: Vec<usize> = (0..REASONS.len())
            .filter(|&at| {
                let reason = &REASONS[at];
                reason.graders.contains(&row.grader.name())
                    && reason.ours_right == right
                    && patterns[at].is_match(&text)
            })
            .collect();
        assert!(!reasons.is_empty(), "{}: ours {right}, original {}: {text:?}\n{grade:?}", row.grader, row.right);
        used.extend(reasons);
    }
    let unused: Vec<&str> = (0..REASONS.len()).filter(|at| !used.contains(at)).map(|at| REASONS[at].why).collect();
    assert!(unused.is_empty(), "no answer differs for these reasons: {unused:#?}");
}

/// An answer that has no formula or letter, or that cannot be compared, is unparsed. The lighteval graders of the original say so only
/// when they fail.
#[test]
fn an_answer_is_unparsed_where_the_original_says_so_or_where_nothing_was_found_or_decided() {
    for row in rows() {
        let grade = row.grader.grade(&row.answer, &row.gold);
        if grade.unparsed == row.unparsed {
            continue;
        }
        let only_same_text = grade.explanation.contains("written in the same way");
        let nothing_found = grade.actual.is_empty() || grade.confidence == 0.0 || only_same_text;
        assert!(
            grade.unparsed && nothing_found && row.grader.name().starts_with("lighteval"),
            "{}: {:?} {grade:?}",
            row.grader,
            row.answer
        );
    }
}
