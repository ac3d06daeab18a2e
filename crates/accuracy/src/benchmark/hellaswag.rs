//! `HellaSwag`: which of four endings continues a text. The prompt is that of `DeepEval`.

use super::{LoadRows, split};
use crate::row::{NumberedRow, numbered};
use crate::tasks::{chosen, hellaswag_activities};
use crate::{BenchmarkSettings, Question, RowError};

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let activities = chosen(&settings.tasks, &hellaswag_activities(), "activities")?;
    let (asked, training) = (split(load, "validation")?, split(load, "train")?);
    let mut examples = String::new();
    let mut seen: Vec<String> = Vec::new();
    for row in numbered(&training) {
        let activity = row.text("activity_label")?;
        if seen.len() < settings.shots && !seen.contains(&activity) {
            examples += &format!("{} {}\n\n", block(&row)?, row.letter("label")?);
            seen.push(activity);
        }
    }
    if seen.len() < settings.shots {
        return Err(RowError::TooManyShots { shots: settings.shots, available: seen.len() });
    }
    let mut questions = Vec::new();
    for activity in activities {
        for row in numbered(&asked).filter(|row| row.text("activity_label").is_ok_and(|found| found == activity)) {
            let prompt = format!(
                "The following are multiple choice questions (with answers) are sentence completion problems about {activity}.\n\n\
                 {examples}{}\n\nOutput 'A', 'B', 'C', or 'D'. Full answer not needed.",
                block(&row)?
            );
            questions.push(Question::of_one_message(activity, prompt, row.letter("label")?, 5));
        }
    }
    Ok(questions)
}

fn block(row: &NumberedRow<'_>) -> Result<String, RowError> {
    let mut text = row.text("ctx")?;
    for (letter, ending) in ('A'..='D').zip(row.texts("endings")?) {
        text += &format!("\n{letter}. {ending}");
    }
    Ok(text + "\nAnswer:")
}
