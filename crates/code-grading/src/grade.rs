//! Runs the tests of a task one after the other, until one fails or the time is over.

use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_grading::{AnswerGrader, Correctness, Grade, GradingError};
use aiperf_sandbox::{Ending, Finished, Python, SandboxError, SandboxLimits, SandboxProgram, run};

use crate::output_lines::same_output;
use crate::{CodeTask, CodeTest, last_code_block};

const RUNNER: (&str, &[u8]) = ("runner.py", include_bytes!("runner.py"));

/// Time of one test.
const TEST_TIME: Duration = Duration::from_secs(6);

/// Time of the program that shows whether programs can be run. It is long because the machine may be busy.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// The time for all tests of an answer: 7 seconds for each and 35 more, at most `longest`.
pub fn time_limit(tests: usize, longest: Duration) -> Duration {
    Duration::from_secs(7 * tests as u64 + 35).min(longest)
}

/// Grades programs with one Python.
#[derive(Clone, Debug)]
pub struct CodeGrader {
    python: Python,
    /// The longest time for all tests of an answer (`AIPERF_ACCURACY_LCB_GRADE_TIMEOUT_MAX_S`).
    longest: Duration,
}

/// The result of one test.
enum TestResult {
    Passed,
    Failed(String),
}

impl AnswerGrader for CodeGrader {
    fn name(&self) -> &'static str {
        "code_execution"
    }

    fn waits_for_the_end(&self) -> bool {
        true
    }

    fn grade(&mut self, answer: &str, gold: &str) -> Result<Grade, GradingError> {
        Self::grade(self, answer, gold).map_err(|error| GradingError(error.to_string()))
    }
}

impl CodeGrader {
    /// Runs a program that is right, to know before a run whether programs are graded rightly here.
    pub fn check(&self) -> Result<(), SandboxError> {
        let test = CodeTest { input: "42\n".to_owned(), output: "42\n".to_owned() };
        let task = CodeTask { tests: Vec::new(), function: None };
        match self.test("print(input())", &task, &test, CHECK_TIME)? {
            TestResult::Passed => Ok(()),
            TestResult::Failed(reason) => {
                let interpreter = self.python.interpreter().display().to_string();
                Err(SandboxError::UnusablePython { interpreter, reason })
            }
        }
    }

    pub fn new(python: Python, longest: Duration) -> Self {
        Self { python, longest }
    }

    /// Grades an answer. `gold` is the JSON of a [`CodeTask`]. Fails only if no sandbox is available.
    pub fn grade(&self, answer: &str, gold: &str) -> Result<Grade, SandboxError> {
        let grade =
            |right: bool, unparsed: bool, confidence: f64, expected: String, actual: &str, explanation: String| Grade {
                verdict: Correctness::from(right),
                unparsed,
                confidence,
                expected,
                actual: actual.to_owned(),
                explanation,
            };
        let task = match CodeTask::from_json(gold) {
            Ok(task) => task,
            Err(error) => return Ok(grade(false, true, 0.0, String::new(), "", error.to_string())),
        };
        let count = task.tests.len();
        let expected = format!("{count} tests pass");
        let Some(code) = last_code_block(answer) else {
            let explanation = "the answer has no code block".to_owned();
            return Ok(grade(false, true, 1.0, expected, "", explanation));
        };
        let started = Mono::now();
        let limit = time_limit(count, self.longest);
        for (position, test) in task.tests.iter().enumerate() {
            let used = Duration::from_nanos(Mono::now().as_nanos().saturating_sub(started.as_nanos()));
            let left = limit.saturating_sub(used);
            let result = if left.is_zero() {
                TestResult::Failed(format!("the time for all tests, {} s, is over", limit.as_secs()))
            } else {
                self.test(&code, &task, test, left.min(TEST_TIME))?
            };
            if let TestResult::Failed(why) = result {
                let explanation = format!("test {} of {count} failed: {why}", position + 1);
                return Ok(grade(false, false, 1.0, expected, &code, explanation));
            }
        }
        Ok(grade(true, false, 1.0, expected, &code, format!("{count} of {count} tests passed")))
    }

    fn test(&self, code: &str, task: &CodeTask, test: &CodeTest, time: Duration) -> Result<TestResult, SandboxError> {
        let output_bytes = (1 << 20) + 4 * test.output.len();
        let limits = SandboxLimits {
            time,
            cpu_seconds: time.as_secs() + 1,
            memory_bytes: 4 << 30,
            output_bytes,
            ..SandboxLimits::default()
        };
        let mut arguments = vec!["runner.py", "program"];
        if let Some(function) = &task.function {
            arguments = vec!["runner.py", "function", function];
        }
        let files = [RUNNER, ("solution.py", code.as_bytes())];
        let program = SandboxProgram { files: &files, arguments: &arguments, stdin: test.input.as_bytes() };
        let finished = run(&self.python, &program, &limits)?;
        if let Some(why) = failure(&finished, time) {
            return Ok(TestResult::Failed(why));
        }
        let actual = String::from_utf8_lossy(&finished.stdout);
        let same = match &task.function {
            Some(_) => self.same_value(&test.output, &actual, &limits)?,
            None => same_output(&test.output, &actual),
        };
        let shown = |text: &str| text.trim().chars().take(80).collect::<String>();
        let different = || TestResult::Failed(format!("{:?} instead of {:?}", shown(&actual), shown(&test.output)));
        Ok(if same { TestResult::Passed } else { different() })
    }

    /// Whether two JSON texts have the same value for Python, which decides in a process without the program.
    fn same_value(&self, expected: &str, actual: &str, limits: &SandboxLimits) -> Result<bool, SandboxError> {
        // `NaN` is not equal to itself.
        if expected.trim() == actual.trim() && !actual.contains("NaN") {
            return Ok(true);
        }
        let files = [RUNNER, ("expected.json", expected.as_bytes()), ("actual.json", actual.as_bytes())];
        let program = SandboxProgram { files: &files, arguments: &["runner.py", "compare"], stdin: b"" };
        let limits = SandboxLimits { time: Duration::from_secs(60), ..*limits };
        Ok(run(&self.python, &program, &limits)?.stdout.starts_with(b"equal"))
    }
}

/// Why a program did not get to its end.
fn failure(finished: &Finished, time: Duration) -> Option<String> {
    match finished.ending {
        Ending::Exited(0) => None,
        Ending::Exited(code) => {
            let errors = String::from_utf8_lossy(&finished.stderr);
            Some(
                errors
                    .lines()
                    .last()
                    .map_or_else(|| format!("exit code {code}"), |line| line.chars().take(200).collect()),
            )
        }
        Ending::Killed(signal) => Some(format!("killed by signal {signal}")),
        Ending::OutOfTime => Some(format!("it ran longer than {:.0} s", time.as_secs_f64())),
        Ending::TooMuchOutput => Some("it wrote too much".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_all_tests_grows_with_their_number_up_to_a_limit() {
        let longest = Duration::from_secs(300);
        assert_eq!(time_limit(1, longest).as_secs(), 42);
        assert_eq!(time_limit(37, longest).as_secs(), 294);
        assert_eq!(time_limit(38, longest).as_secs(), 300);
    }
}
