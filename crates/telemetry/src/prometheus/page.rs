//! One page on its own, with all names and labels, for readers that see few samples.

use super::{Labels, MetricFamily, PageError, PageFormat, PageLimits, PageReader, SampleRole};

/// The metrics of one page.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricPage {
    /// Families with their samples, in the order of the page.
    pub families: Vec<(MetricFamily, Vec<MetricSample>)>,
}

/// One value of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSample {
    pub role: SampleRole,
    /// Without the label that is part of the role.
    pub labels: Labels,
    pub value: f64,
}

impl MetricPage {
    pub fn parse(body: &[u8], format: PageFormat, limits: PageLimits) -> Result<Self, PageError> {
        let mut reader = PageReader::new(limits);
        let page = reader.read(body, format)?;
        let mut families: Vec<(MetricFamily, Vec<MetricSample>)> = Vec::new();
        for family in reader.families() {
            let (name, help, unit) = (family.name.clone(), family.help.clone(), family.unit.clone());
            families.push((MetricFamily { name, kind: family.kind, help, unit }, Vec::new()));
        }
        for (series, value) in page.values {
            let series = &reader.series()[series.0 as usize];
            let sample = MetricSample { role: series.role.clone(), labels: series.labels.clone(), value };
            families[series.family.0 as usize].1.push(sample);
        }
        families.retain(|(_, samples)| !samples.is_empty());
        Ok(Self { families })
    }

    /// Samples of the family with this name.
    pub fn samples(&self, name: &str) -> &[MetricSample] {
        self.families.iter().find(|(family, _)| family.name == name).map_or(&[], |(_, samples)| samples)
    }
}
