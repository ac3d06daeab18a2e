//! Answers that are made to break a grader: each of them gets a grade, and none takes long or much memory.

use aiperf_grading::Grader;
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Formulas that answers are made of, to be cut, repeated and mixed.
const PARTS: [&str; 30] = [
    "\\boxed{",
    "}",
    "$",
    "$$",
    "\\frac{1}{2}",
    "\\sqrt[3]{x^2+1}",
    "(",
    ")",
    "[",
    "]",
    "^{99999999}",
    "x",
    "+",
    "-",
    "!",
    "|",
    ",",
    "\\{",
    "\\}",
    "\\pm",
    "_",
    "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
    "The answer is ",
    "1,234.5",
    "\\text{ cm}^2",
    "=",
    "\\%",
    "\\left(",
    "é",
    "\n",
];

fn grade_all(answer: &str, gold: &str) {
    for grader in Grader::ALL {
        let grade = grader.grade(answer, gold);
        assert!(!(grade.confidence == 0.0 && grade.verdict.is_right()), "{grader}: an undecided answer is not right");
        assert!(grade.confidence > 0.0 || grade.unparsed, "{grader}: an undecided answer is unparsed");
    }
}

#[test]
fn deep_nesting_and_huge_exponents_are_graded() {
    for answer in [
        "\\boxed{".repeat(5_000),
        format!("\\boxed{{{}1{}}}", "(".repeat(900), ")".repeat(900)),
        format!("\\boxed{{{}1{}}}", "{".repeat(900), "}".repeat(900)),
        format!("\\boxed{{{}2}}", "2^".repeat(300)),
        format!("\\boxed{{{}2{}}}", "2^{".repeat(200), "}".repeat(200)),
        "\\boxed{9^{9^{9^{9}}}}".to_owned(),
        "\\boxed{(x+y+z+w+1)^{40}}".to_owned(),
        "\\boxed{((x+1)^{30}(y+2)^{30})^{30}}".to_owned(),
        "\\boxed{99999999999!}".to_owned(),
        "\\boxed{\\binom{1000000000}{500000000}}".to_owned(),
        format!("\\boxed{{\\sqrt{{{}}}}}", "9".repeat(1_500)),
        format!("\\boxed{{{}}}", "1+".repeat(900) + "1"),
        format!("\\boxed{{{}}}", "1,".repeat(900) + "1"),
        format!("\\boxed{{0.{}}}", "0".repeat(1_000_000)),
        format!("\\boxed{{{}}}", "|x".repeat(500)),
        format!("\\boxed{{{}}}", "\\pm 1".repeat(300)),
    ] {
        grade_all(&answer, "\\boxed{(x+y+z+w+2)^{40}}");
        grade_all(&answer, "12");
        grade_all("\\boxed{12}", &answer);
    }
}

#[test]
fn answers_of_a_megabyte_are_graded() {
    for part in [
        "$",
        "\\[",
        "\\(",
        "answer ",
        "final answer ",
        "\\boxed{",
        "1 ",
        "-\\frac{1}{",
        " [",
        "A ",
        "1,",
        "#### ",
        "\n",
        "é",
    ] {
        grade_all(&part.repeat(1_000_000 / part.len()), "\\boxed{12}");
    }
}

#[test]
fn mutated_answers_are_graded() {
    // A fixed sequence: the same inputs in every run.
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let good = [
        "The answer is $\\boxed{\\frac{\\sqrt{3}}{4} + 2\\pi}$.",
        "\\boxed{(-\\infty, 3] \\cup [5, \\infty)}",
        "$x^2 + 3xy - \\log_2 8 = 0$ and $\\{1, 2, 3\\}$",
        "#### 1,234.50\nAnswer: (B)",
    ];
    for _ in 0..3_000 {
        let mut characters: Vec<char> = good[draw(good.len())].chars().collect();
        for _ in 0..=draw(8) {
            let at = draw(characters.len().max(1));
            match draw(4) {
                0 if !characters.is_empty() => {
                    characters.remove(at);
                }
                1 => characters.insert(at, ['\\', '{', '}', '(', '^', '$', '9', 'é', '\0'][draw(9)]),
                2 => {
                    let part: Vec<char> = PARTS[draw(PARTS.len())].chars().collect();
                    characters.splice(at..at, part);
                }
                _ => characters.truncate(at),
            }
            if characters.is_empty() {
                characters.push('x');
            }
        }
        grade_all(&characters.iter().collect::<String>(), good[draw(good.len())]);
    }
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_text_gets_a_grade(answer in any::<String>(), gold in any::<String>()) {
        grade_all(&answer, &gold);
    }

    #[test]
    fn any_sequence_of_parts_gets_a_grade(parts in proptest::collection::vec(0..PARTS.len(), 0..60)) {
        let answer: String = parts.iter().map(|part| PARTS[*part]).collect();
        grade_all(&answer, "\\boxed{\\frac{1}{2}}");
        grade_all("\\boxed{\\frac{1}{2}}", &answer);
    }

    #[test]
    fn a_fraction_equals_its_multiples_and_no_other_fraction(a in -999_i64..999, b in 1_i64..999, k in 1_i64..99, c in -999_i64..999) {
        let gold = format!("\\boxed{{\\frac{{{a}}}{{{b}}}}}");
        let right = |answer: String| Grader::LightevalLatex.grade(&answer, &gold).verdict.is_right();
        let (above, below) = (a * k, b * k);
        let answers = [format!("$\\frac{{{above}}}{{{below}}}$"), format!("$-\\frac{{{}}}{{{below}}}$", -above)];
        prop_assert!(answers.into_iter().all(right));
        prop_assert_eq!(right(format!("$\\frac{{{c}}}{{{b}}}$")), a == c);
    }

    #[test]
    fn a_product_of_two_factors_equals_its_expansion(a in -50_i64..50, b in -50_i64..50, wrong in 1_i64..9) {
        let gold = format!("(x + ({a}))(x + ({b}))");
        let expanded = |constant: i64| format!("\\boxed{{x^2 + ({})x + ({constant})}}", a + b);
        for (grader, gold) in [(Grader::LightevalLatex, format!("${gold}$")), (Grader::Math, gold)] {
            prop_assert!(grader.grade(&expanded(a * b), &gold).verdict.is_right());
            prop_assert!(!grader.grade(&expanded(a * b + wrong), &gold).verdict.is_right());
        }
    }

    #[test]
    fn a_root_equals_its_reduced_form(outside in 1_i64..200, inside in 2_i64..200) {
        let answer = format!("\\boxed{{{outside}\\sqrt{{{inside}}}}}");
        let gold = |square: i64| format!("\\boxed{{\\sqrt{{{square}}}}}");
        let square = outside * outside * inside;
        prop_assert!(Grader::LightevalLatex.grade(&answer, &gold(square)).verdict.is_right());
        prop_assert!(!Grader::LightevalLatex.grade(&answer, &gold(square + 1)).verdict.is_right());
    }
}
