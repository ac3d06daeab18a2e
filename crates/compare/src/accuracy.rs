//! Accuracies of two runs, question by question. A run that is faster and answers worse is worse: the gate says so.

use std::collections::BTreeMap;

use aiperf_artifact::GradedAnswer;
use aiperf_stats::{Level, PairedCounts, mcnemar};

use crate::{Change, Question, RowOutcome, Scale, Share, Side, Verdict};

/// Changes up to one percentage point do not count, unless the user says otherwise.
const DEFAULT_THRESHOLD: Share = Share::of_percent(1.0);

/// How both sides answered the same questions.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyComparison {
    pub benchmark: String,
    pub pairs: PairedCounts,
    /// Questions that only one side was asked.
    pub unpaired: u64,
    /// In hundred percentage points; `None` without a question in common.
    pub change: Option<Change>,
    /// Of the exact test of `McNemar`, one-sided for a gate: how probable such a difference is if both sides are equally good.
    pub p_value: f64,
    pub threshold: Share,
    pub verdict: Verdict,
    /// Why no question is in common.
    pub no_pairs: Option<&'static str>,
    pub tasks: Vec<TaskComparison>,
}

/// The questions of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskComparison {
    pub task: String,
    pub pairs: PairedCounts,
}

impl TaskComparison {
    pub(crate) fn change(&self) -> f64 {
        self.pairs.second() - self.pairs.first()
    }
}

impl AccuracyComparison {
    /// `None` if neither side is an accuracy benchmark.
    pub(crate) fn of(
        baseline: &Side,
        candidate: &Side,
        threshold: Option<Share>,
        question: Question,
        level: Level,
    ) -> Option<Self> {
        let threshold = threshold.unwrap_or(DEFAULT_THRESHOLD);
        let (first, second) = (baseline.graded(), candidate.graded());
        let named = |side: &Side| Some(side.summary()?["accuracy"]["benchmark"].as_str()?.to_owned());
        let blank = |no_pairs| Self {
            benchmark: named(baseline).or_else(|| named(candidate)).unwrap_or_else(|| "the benchmark".to_owned()),
            pairs: PairedCounts::default(),
            unpaired: 0,
            change: None,
            p_value: 1.0,
            threshold,
            verdict: Verdict::Inconclusive,
            no_pairs,
            tasks: Vec::new(),
        };
        let (first, second) = match (first, second) {
            (None, None) => return None,
            (Some(_), None) => return Some(blank(Some("the candidate has no graded answers"))),
            (None, Some(_)) => return Some(blank(Some("the baseline has no graded answers"))),
            (Some(first), Some(second)) => (results(&first), results(&second)),
        };
        let Paired { all, unpaired, tasks } = pair(&first, &second);
        if all.total() == 0 {
            return Some(Self { unpaired, ..blank(Some("the sides have no question in common")) });
        }
        let judged = judge(&all, threshold, question, level);
        Some(Self { pairs: all, unpaired, tasks, ..Self { no_pairs: None, ..blank(None) } }.with(judged))
    }

    fn with(self, (change, p_value, verdict): (Option<Change>, f64, Verdict)) -> Self {
        Self { change, p_value, verdict, ..self }
    }

    /// What it says to a gate: it passes when its interval rules out that the candidate is worse by more than the threshold.
    pub fn outcome(&self) -> RowOutcome {
        match (self.verdict, &self.change) {
            (Verdict::Worse, _) => RowOutcome::Regression,
            (Verdict::Better | Verdict::Equal, _) => RowOutcome::Passed,
            (Verdict::Inconclusive, Some(change)) if change.low >= -self.threshold.get() => RowOutcome::Passed,
            _ => RowOutcome::Inconclusive,
        }
    }

    /// Keeps the numbers without judging them.
    pub(crate) fn withhold(&mut self) {
        self.verdict = Verdict::Withheld;
    }
}

/// Whether each question was answered right: by most of the runs, if there are several. With its task.
fn results<'a>(runs: &[&'a [GradedAnswer]]) -> BTreeMap<&'a str, (&'a str, bool)> {
    let mut counts: BTreeMap<&str, (&str, u64, u64)> = BTreeMap::new();
    for answer in runs.iter().copied().flatten() {
        let (_, right, all) = counts.entry(&answer.question).or_insert((&answer.task, 0, 0));
        *right += u64::from(answer.result.right);
        *all += 1;
    }
    counts.into_iter().map(|(question, (task, right, all))| (question, (task, 2 * right > all))).collect()
}

struct Paired {
    all: PairedCounts,
    unpaired: u64,
    tasks: Vec<TaskComparison>,
}

fn pair(first: &BTreeMap<&str, (&str, bool)>, second: &BTreeMap<&str, (&str, bool)>) -> Paired {
    let mut all = PairedCounts::default();
    let mut tasks: BTreeMap<&str, PairedCounts> = BTreeMap::new();
    for (question, (task, of_first)) in first {
        let Some((_, of_second)) = second.get(question) else { continue };
        for counts in [&mut all, tasks.entry(task).or_default()] {
            *match (of_first, of_second) {
                (true, true) => &mut counts.both,
                (true, false) => &mut counts.only_first,
                (false, true) => &mut counts.only_second,
                (false, false) => &mut counts.neither,
            } += 1;
        }
    }
    let unpaired = (first.len() + second.len()) as u64 - 2 * all.total();
    let tasks = tasks.into_iter().map(|(task, pairs)| TaskComparison { task: task.to_owned(), pairs }).collect();
    Paired { all, unpaired, tasks }
}

/// The change with its interval, the p-value, and the verdict: a change counts if the test finds it and it is larger than the threshold.
fn judge(pairs: &PairedCounts, threshold: Share, question: Question, level: Level) -> (Option<Change>, f64, Verdict) {
    let tail = 1.0 - level.get();
    let two_sided = mcnemar(pairs.only_first, pairs.only_second);
    let (p_value, interval_level) = match question {
        Question::Changed => (two_sided, level),
        // The binomial distribution of the test is symmetric.
        Question::Worse => (two_sided / 2.0, Level::new(1.0 - 2.0 * tail).unwrap_or(level)),
    };
    let share = pairs.second() - pairs.first();
    let change = pairs.difference(interval_level).map(|interval| Change {
        scale: Scale::Points,
        absolute: share,
        share,
        low: interval.low,
        high: interval.high,
    });
    let limit = threshold.get();
    let within = change.is_some_and(|change| change.low >= -limit && change.high <= limit);
    let verdict = match p_value < tail {
        _ if within => Verdict::Equal,
        true if share < -limit => Verdict::Worse,
        true if share > limit => Verdict::Better,
        _ => Verdict::Inconclusive,
    };
    (change, p_value, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(both: u64, only_first: u64, only_second: u64, neither: u64, question: Question) -> Verdict {
        let pairs = PairedCounts { both, only_first, only_second, neither };
        judge(&pairs, DEFAULT_THRESHOLD, question, Level::P95).2
    }

    #[test]
    fn a_change_counts_if_the_test_finds_it_and_it_is_more_than_the_threshold() {
        let changed = |both, first, second, neither| verdict(both, first, second, neither, Question::Changed);
        assert_eq!(changed(900, 60, 20, 339), Verdict::Worse);
        assert_eq!(changed(900, 20, 60, 339), Verdict::Better);
        assert_eq!(changed(900, 30, 30, 359), Verdict::Inconclusive, "the interval is wider than the threshold");
        assert_eq!(changed(1_000, 0, 0, 319), Verdict::Equal);
        assert_eq!(changed(20, 5, 1, 4), Verdict::Inconclusive, "six questions that differ are too few");
        assert_eq!(changed(20_000, 200, 100, 9_700), Verdict::Equal, "sure, and too little to count");
    }

    #[test]
    fn a_gate_asks_in_one_direction_only() {
        // 9 of 11 differing questions: 0.065 on two sides, 0.033 on one.
        assert_eq!(verdict(100, 9, 2, 89, Question::Changed), Verdict::Inconclusive);
        assert_eq!(verdict(100, 9, 2, 89, Question::Worse), Verdict::Worse);
    }

    #[test]
    fn questions_are_paired_by_their_names_and_by_most_of_the_runs() {
        let answer = |question: &str, right: bool| GradedAnswer {
            question: question.to_owned(),
            task: "t".to_owned(),
            result: aiperf_accuracy::AnswerResult::graded(right, false),
        };
        let (a, b, c) = ([answer("1", true), answer("2", true)], [answer("1", false)], [answer("1", true)]);
        let first = results(&[&a, &b, &c]);
        assert_eq!(first["1"], ("t", true));
        let second = [answer("1", false), answer("3", true)];
        let second = results(&[&second]);
        let Paired { all, unpaired, tasks } = pair(&first, &second);
        assert_eq!((all.total(), all.only_first, unpaired, tasks.len()), (1, 1, 2, 1));
    }
}
