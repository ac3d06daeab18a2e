//! Programs of answers, right and wrong, run in the sandbox. The processes of a sandbox are copies of this program, so that it has its
//! own main function.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use aiperf_code_grading::CodeGrader;
use aiperf_grading::Grade;
use aiperf_sandbox::{Python, SandboxError, enter_if_asked};

type ProgramTest = fn(&CodeGrader);

const TESTS: &[(&str, ProgramTest)] = &[
    ("a_program_that_passes_all_tests_is_right", a_program_that_passes_all_tests_is_right),
    ("a_program_that_fails_one_test_is_wrong", a_program_that_fails_one_test_is_wrong),
    ("functions_and_methods_are_called", functions_and_methods_are_called),
    ("returned_values_are_compared_as_python_does", returned_values_are_compared_as_python_does),
    ("programs_that_break_are_wrong_with_the_reason", programs_that_break_are_wrong_with_the_reason),
    ("an_answer_without_code_is_unparsed", an_answer_without_code_is_unparsed),
    ("an_interpreter_that_cannot_run_programs_is_refused", an_interpreter_that_cannot_run_programs_is_refused),
    ("recorded_programs_have_the_verdicts_of_lighteval", recorded_programs_have_the_verdicts_of_lighteval),
];

/// With this variable all recorded programs are run, which takes a minute or two. Without it every eleventh is.
const ALL_PROGRAMS: &str = "AIPERF_TEST_ALL_PROGRAMS";

fn main() {
    enter_if_asked();
    if !aiperf_test_tools::available(&[&["python3", "--version"]]) {
        return;
    }
    let grader = CodeGrader::new(Python::find("python3").unwrap(), Duration::from_secs(300));
    if let Err(SandboxError::Unavailable { step, reason }) = grader.grade(&block("pass"), &stdin_task("", "")) {
        // Nothing is graded without a sandbox, and no program could be installed that gives one.
        eprintln!("no sandbox here, and the refusal says why: {step}: {reason}");
        return;
    }
    for (name, test) in TESTS {
        test(&grader);
        println!("test {name} ... ok");
    }
}

fn block(code: &str) -> String {
    format!("Here is the program.\n```python\n{code}\n```\nIt works.")
}

fn stdin_task(input: &str, output: &str) -> String {
    task(&[(input, output)], None)
}

fn task(tests: &[(&str, &str)], function: Option<&str>) -> String {
    let tests: Vec<_> =
        tests.iter().map(|(input, output)| serde_json::json!({"input": input, "output": output})).collect();
    serde_json::json!({"public_test_cases": tests, "metadata": {"func_name": function}}).to_string()
}

fn graded(grader: &CodeGrader, code: &str, gold: &str) -> Grade {
    grader.grade(&block(code), gold).unwrap()
}

fn right(grader: &CodeGrader, code: &str, gold: &str) {
    let grade = graded(grader, code, gold);
    assert!(grade.verdict.is_right() && !grade.unparsed, "{code}\n{grade:?}");
}

fn wrong(grader: &CodeGrader, code: &str, gold: &str, why: &str) {
    let grade = graded(grader, code, gold);
    assert!(!grade.verdict.is_right() && grade.explanation.contains(why), "{code}\n{grade:?}");
}

fn a_program_that_passes_all_tests_is_right(grader: &CodeGrader) {
    let gold = task(&[("3 4\n", "7\n"), ("10 -2", "8")], None);
    right(grader, "a, b = map(int, input().split())\nprint(a + b)", &gold);
    // With a main guard, names that are imported beforehand, an exit, and a thread with a large stack.
    right(
        grader,
        "import threading\ndef main():\n    values: List[int] = [int(x) for x in sys.stdin.read().split()]\n    print(float(sum(values)))\n    sys.exit(3)\nif __name__ == '__main__':\n    threading.stack_size(1 << 27)\n    thread = threading.Thread(target=main)\n    thread.start()\n    thread.join()",
        &gold,
    );
    right(grader, "print(sum(map(int, input().split())))\nexit(1)", &gold);
}

fn a_program_that_fails_one_test_is_wrong(grader: &CodeGrader) {
    let gold = task(&[("3 4", "7"), ("10 -2", "8")], None);
    wrong(
        grader,
        "a, b = map(int, input().split())\nprint(abs(a) + abs(b))",
        &gold,
        "test 2 of 2 failed: \"12\" instead of \"8\"",
    );
}

fn functions_and_methods_are_called(grader: &CodeGrader) {
    let gold = task(&[("[1, 2, 3]\n2", "[2, 4, 6]"), ("[]\n5", "[]")], Some("scale"));
    right(
        grader,
        "def scale(values, factor):\n    print('noise')\n    return [value * factor for value in values]",
        &gold,
    );
    right(
        grader,
        "class Solution:\n    def scale(self, values: List[int], factor: int) -> List[int]:\n        return tuple(value * factor for value in values)",
        &gold,
    );
    wrong(grader, "def scale(values, factor):\n    return values", &gold, "instead of");
    wrong(grader, "def other(values, factor):\n    return values", &gold, "KeyError");
}

fn returned_values_are_compared_as_python_does(grader: &CodeGrader) {
    let returns = |value: &str| format!("def answer(n):\n    return {value}");
    for (value, expected) in [
        ("2", "2.0"),
        ("True", "1"),
        ("{'b': [1], 'a': None}", r#"{"a": null, "b": [1]}"#),
        ("10**40", "10000000000000000000000000000000000000000"),
        ("'é'", "\"é\""),
    ] {
        right(grader, &returns(value), &task(&[("0", expected)], Some("answer")));
    }
    for (value, expected) in [
        ("10**40", "10000000000000000000000000000000000000001"),
        ("[(1, 2)]", "[[1, 2]]"),
        ("{1, 2}", "[1, 2]"),
        ("{1: 2}", r#"{"1": 2}"#),
        ("float('nan')", "NaN"),
        ("None", "0"),
    ] {
        let grade = graded(grader, &returns(value), &task(&[("0", expected)], Some("answer")));
        assert!(!grade.verdict.is_right(), "{value}: {grade:?}");
    }
}

fn programs_that_break_are_wrong_with_the_reason(grader: &CodeGrader) {
    let gold = stdin_task("1", "1");
    wrong(grader, "print(", &gold, "SyntaxError");
    wrong(grader, "raise ValueError('no')", &gold, "ValueError: no");
    wrong(grader, "import socket\nsocket.create_connection(('127.0.0.1', 80))", &gold, "Error");
    wrong(grader, "while True:\n    print('x' * 10000)", &gold, "wrote too much");
    wrong(grader, "import os\nos._exit(9)", &gold, "exit code 9");
    let quick = CodeGrader::new(Python::find("python3").unwrap(), Duration::from_secs(1));
    wrong(&quick, "import time\ntime.sleep(100)", &gold, "it ran longer than 1 s");
}

fn an_answer_without_code_is_unparsed(grader: &CodeGrader) {
    let grade = grader.grade("I cannot solve this.", &stdin_task("", "")).unwrap();
    assert!(grade.unparsed && !grade.verdict.is_right());
    let damaged = grader.grade(&block("pass"), "{}").unwrap();
    assert!(damaged.unparsed && damaged.explanation.contains("no tests"), "{damaged:?}");
}

/// A right program that such an interpreter runs would be graded as wrong.
fn an_interpreter_that_cannot_run_programs_is_refused(grader: &CodeGrader) {
    grader.check().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // In place of Python: a program that says where its interpreter is.
    let check = |interpreter: &str| {
        let script = folder.path().join(interpreter.replace('/', "_"));
        fs::write(&script, format!("#!/bin/sh\nprintf '%s\\n' {interpreter} /usr /usr\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let python = Python::find(script.to_str().unwrap()).unwrap();
        CodeGrader::new(python, Duration::from_secs(60)).check().unwrap_err().to_string()
    };
    let missing = check("/opt/no-such-folder/python3");
    let begins = "Python programs do not run in the sandbox with /opt/no-such-folder/python3: ENOENT";
    assert!(missing.starts_with(begins) && missing.contains("Put another python3 first in PATH"), "{missing}");
    let other = check("/bin/sh");
    assert!(other.contains("do not run in the sandbox with /bin/sh: "), "{other}");
}

fn recorded_programs_have_the_verdicts_of_lighteval(grader: &CodeGrader) {
    let step = if std::env::var_os(ALL_PROGRAMS).is_some() { 1 } else { 11 };
    let lines: Vec<&str> = include_str!("recorded/programs.jsonl").lines().collect();
    assert!(lines.len() >= 300, "{}", lines.len());
    for line in lines.iter().step_by(step) {
        let (answer, gold, passed): (String, String, bool) = serde_json::from_str(line).unwrap();
        // On a busy machine a program may be out of time through no fault of its own.
        let mut grade = grader.grade(&answer, &gold).unwrap();
        for _ in 0..20 {
            if passed && grade.explanation.contains("it ran longer than") {
                grade = grader.grade(&answer, &gold).unwrap();
            }
        }
        let right = grade.verdict.is_right();
        // Standard input of lighteval is a text in memory, which has no bytes to read.
        let known = right && answer.contains("sys.stdin.buffer");
        assert!(right == passed || known, "lighteval says {passed}:\n{answer}\n{gold}\n{grade:?}");
    }
}
