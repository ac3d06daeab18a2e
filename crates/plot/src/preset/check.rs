//! Whether a plot that was written makes sense.

use super::document::{OneOrMore, WrittenAxes, WrittenPreset};
use super::file::Preset;
use super::metric_ref::{MetricRef, WrittenMetric, check_statistic};
use super::plot_type::PlotType;
use crate::RunMode;

impl WrittenPreset {
    /// The plot, if it makes sense; keys without effect are added to `warnings`. The error names the plot and the key.
    pub fn check(self, name: &str, mode: RunMode, warnings: &mut Vec<String>) -> Result<Preset, String> {
        let wrong = |problem: String| format!("{} plot {name:?}: {problem}", mode.name());
        if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || "_-. ".contains(letter)) {
            return Err(wrong("the name becomes a file name; use letters, digits, '_', '-' and '.'".to_owned()));
        }
        let kind = PlotType::from_name(&self.kind, mode).ok_or_else(|| {
            let known = PlotType::names(mode).join(", ");
            wrong(format!("type {:?} is not known here; the types are {known}", self.kind))
        })?;
        let given = [
            ("y2", self.y2.is_some()),
            ("secondary_style", self.secondary_style.is_some()),
            ("supplementary_col", self.supplementary_col.is_some()),
            ("ci_level", self.ci_level.is_some()),
            ("labels", self.labels.is_some()),
            ("groups", self.groups.is_some()),
            ("use_slice_duration", self.use_slice_duration.is_some()),
            ("primary_style", self.primary_style.is_some()),
            ("autoscale", self.autoscale.is_some()),
            ("log_scale", self.log_scale.is_some()),
            ("stat", self.stat.is_some()),
        ];
        for (key, _) in given.into_iter().filter(|(key, is_given)| *is_given && !kind.heeds(key, mode)) {
            warnings.push(wrong(format!("{key} has no effect on plots of type {}", kind.name())));
        }
        if let Some(stat) = &self.stat {
            check_statistic(stat).map_err(wrong)?;
        }
        let metric = |written: Option<WrittenMetric>| written.map(MetricRef::of).transpose().map_err(wrong);
        let mut groups = self.groups.map(OneOrMore::list).unwrap_or_default();
        if groups.len() > 1 {
            return Err(wrong(format!("groups has {} columns; name one", groups.len())));
        }
        let ci_level = self.ci_level.unwrap_or(0.95);
        if !(0.5..1.0).contains(&ci_level) {
            return Err(wrong(format!("ci_level {ci_level} is not between 0.5 and 1")));
        }
        Ok(Preset {
            name: name.to_owned(),
            kind,
            title: self.title,
            description: self.description,
            x: metric(self.x)?,
            y: metric(self.y)?.ok_or_else(|| wrong("y is missing".to_owned()))?,
            y2: metric(self.y2)?,
            stat: self.stat.map(|stat| stat.replace('.', "_")),
            source: self.source,
            labels: self.labels.map(OneOrMore::list).unwrap_or_default(),
            group: groups.pop(),
            x_label: self.x_label,
            y_label: self.y_label,
            autoscale: self.autoscale.map_or((false, false), WrittenAxes::pair),
            log_scale: self.log_scale.map_or((false, false), WrittenAxes::pair),
            ci_level,
            primary_style: self.primary_style,
            secondary_style: self.secondary_style,
            supplementary_col: self.supplementary_col,
            use_slice_duration: self.use_slice_duration.unwrap_or(false),
        })
    }
}
