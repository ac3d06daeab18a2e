//! Accuracy: grading of answers.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(crate) const ACCURACY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::AccuracyBenchmark,
        &["accuracy-benchmark"],
        ValueKind::Choice(&[
            "mmlu",
            "mmlu_pro",
            "aime",
            "hellaswag",
            "bigbench",
            "aime24",
            "aime25",
            "math_500",
            "gsm8k",
            "gpqa_diamond",
            "lcb_codegeneration",
        ]),
        "Also grade the answers with this suite.",
    ),
    OptionSpec::new(OptionId::AccuracyTasks, &["accuracy-tasks"], ValueKind::Text, "Tasks of the suite to run.")
        .list()
        .default("all"),
    OptionSpec::new(
        OptionId::AccuracyNShots,
        &["accuracy-n-shots"],
        ValueKind::Int,
        "Worked examples to put before each question.",
    )
    .at_least(0.0)
    .at_most(32.0)
    .default("by suite"),
    OptionSpec::new(
        OptionId::AccuracyEnableCot,
        &["accuracy-enable-cot"],
        ValueKind::Flag,
        "Ask for the reasoning before the answer.",
    )
    .negative("accuracy-no-enable-cot", "Do not ask for the reasoning before the answer.")
    .default("by suite"),
    OptionSpec::new(
        OptionId::AccuracyGrader,
        &["accuracy-grader"],
        ValueKind::Choice(&[
            "exact_match",
            "math",
            "multiple_choice",
            "code_execution",
            "lighteval_expr",
            "lighteval_latex",
            "lighteval_gpqa",
            "lighteval_gsm8k",
            "mmlu_pro",
        ]),
        "How answers are graded.",
    )
    .default("by suite"),
    OptionSpec::new(
        OptionId::AccuracySystemPrompt,
        &["accuracy-system-prompt"],
        ValueKind::Text,
        "System message for the suite.",
    )
    .default("by suite"),
    OptionSpec::new(
        OptionId::AccuracyVerbose,
        &["accuracy-verbose"],
        ValueKind::Flag,
        "Show the grade of each problem.",
    ),
];
