//! The grader of a run: the only place that knows all kinds of graders.

use aiperf_code_grading::CodeGrader;
use aiperf_config::GraderChoice;
use aiperf_grading::AnswerGrader;
use aiperf_sandbox::Python;

use crate::RunError;

/// The program that runs Python programs.
const PYTHON: &str = "python3";

/// Makes the grader, and checks that it can work on this machine.
pub(crate) fn prepare(choice: &GraderChoice) -> Result<Box<dyn AnswerGrader>, RunError> {
    match choice {
        GraderChoice::Text(grader) => Ok(Box::new(*grader)),
        GraderChoice::Plugin(grader) => grader.0.start().map_err(RunError::PluginGrader),
        GraderChoice::CodeExecution { longest } => {
            let checked = Python::find(PYTHON).and_then(|python| {
                let grader = CodeGrader::new(python, *longest);
                grader.check().map(|()| grader)
            });
            let grader = checked.map_err(|reason| RunError::NoCodeExecution(reason.to_string()))?;
            Ok(Box::new(grader))
        }
    }
}
