//! Reads the pages of one endpoint, one after the other. Names, labels and types are parsed when they are seen for the first time;
//! after that a line is compared with the line that followed the same line last time, and only its value is read.

use std::collections::HashMap;

use super::line::{SampleText, value};
use super::{Labels, MetricType, PageError, PageFormat, PageLimits, PageLine, SampleRole};

/// Index of a family among [`PageReader::families`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FamilyId(pub u32);

/// Index of a series among [`PageReader::series`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeriesId(pub u32);

/// A family that a page has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFamily {
    pub name: String,
    pub kind: MetricType,
    pub help: String,
    pub unit: Option<String>,
    /// A later page declared another type than the first, which is kept.
    pub changed_to: Option<MetricType>,
    has_samples: bool,
}

/// A series of single values: a bucket of a histogram is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSeries {
    pub family: FamilyId,
    pub role: SampleRole,
    pub labels: Labels,
}

/// The samples of one page, in its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageValues {
    pub values: Vec<(SeriesId, f64)>,
    /// Samples of series that were left out because the endpoint has too many.
    pub left_out: usize,
}

#[derive(Debug)]
struct KnownLine {
    /// Name and labels of a sample, or a whole comment.
    text: Box<str>,
    /// `None` for a comment.
    series: Option<SeriesId>,
    /// The line that came after this one last time.
    next: Option<u32>,
}

/// What is known of an endpoint's pages.
#[derive(Debug)]
pub struct PageReader {
    limits: PageLimits,
    families: Vec<KnownFamily>,
    families_by_name: HashMap<String, FamilyId>,
    series: Vec<KnownSeries>,
    series_by_meaning: HashMap<KnownSeries, SeriesId>,
    lines: Vec<KnownLine>,
    lines_by_text: HashMap<Box<str>, u32>,
    first_line: Option<u32>,
    /// Bytes of all known lines.
    text: usize,
}

impl std::hash::Hash for KnownSeries {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.family, &self.role, &self.labels).hash(state);
    }
}

impl PageReader {
    pub fn new(limits: PageLimits) -> Self {
        Self {
            limits,
            families: Vec::new(),
            families_by_name: HashMap::new(),
            series: Vec::new(),
            series_by_meaning: HashMap::new(),
            lines: Vec::new(),
            lines_by_text: HashMap::new(),
            first_line: None,
            text: 0,
        }
    }

    /// In the order in which they were first seen.
    pub fn families(&self) -> &[KnownFamily] {
        &self.families
    }

    /// In the order in which they were first seen.
    pub fn series(&self) -> &[KnownSeries] {
        &self.series
    }

    /// Reads a page. After an error nothing of the page counts, though its names stay known.
    pub fn read(&mut self, body: &[u8], format: PageFormat) -> Result<PageValues, PageError> {
        let text = std::str::from_utf8(body).map_err(|_| PageError::NotText)?;
        let mut page = PageValues { values: Vec::with_capacity(self.series.len()), left_out: 0 };
        let mut before = None;
        let mut ended = false;
        for (index, line) in text.split('\n').enumerate() {
            let number = index + 1;
            if line.len() > self.limits.line {
                return Err(PageError::LineTooLong { line: number, limit: self.limits.line });
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            if ended {
                return Err(PageError::Line { line: number, reason: "it comes after '# EOF'" });
            }
            if page.values.len() + page.left_out >= self.limits.samples && !line.starts_with('#') {
                return Err(PageError::TooManySamples { limit: self.limits.samples });
            }
            let expected = before.map_or(self.first_line, |before: u32| self.lines[before as usize].next);
            if let Some((id, rest)) = expected.and_then(|id| Some((id, self.rest_of(id, line)?))) {
                if let Some(series) = self.lines[id as usize].series {
                    let value = value(rest, format).map_err(|reason| PageError::Line { line: number, reason })?;
                    page.values.push((series, value));
                }
                before = Some(id);
                continue;
            }
            let parsed = PageLine::parse(line, format).map_err(|reason| refused(number, reason, line))?;
            let known = match parsed {
                PageLine::Nothing => continue,
                PageLine::End => {
                    ended = true;
                    continue;
                }
                PageLine::Sample(sample) => {
                    let known = self.sample_line(sample);
                    match known.and_then(|id| self.lines[id as usize].series) {
                        Some(series) => page.values.push((series, sample.value)),
                        None => page.left_out += 1,
                    }
                    known
                }
                comment => {
                    self.apply(comment);
                    self.known_line(line, None)
                }
            };
            if let Some(id) = known {
                match before {
                    Some(before) => self.lines[before as usize].next = Some(id),
                    None => self.first_line = Some(id),
                }
                before = Some(id);
            }
        }
        if format == PageFormat::OpenMetrics && !ended {
            return Err(PageError::BrokenOff);
        }
        if page.values.is_empty() {
            return Err(PageError::Empty);
        }
        Ok(page)
    }

    /// What follows the text of a known line, if `line` begins with it.
    fn rest_of<'a>(&self, id: u32, line: &'a str) -> Option<&'a str> {
        let known = &self.lines[id as usize];
        let rest = line.strip_prefix(&*known.text)?;
        let fits = if known.series.is_some() { rest.starts_with([' ', '\t']) } else { rest.is_empty() };
        fits.then_some(rest)
    }

    /// The line of a sample; `None` if there is no room for another series.
    fn sample_line(&mut self, sample: SampleText<'_>) -> Option<u32> {
        if let Some(id) = self.lines_by_text.get(sample.key) {
            return Some(*id);
        }
        if !self.has_room(sample.key) {
            return None;
        }
        let (name, labels) = sample.name_and_labels();
        let declared = |name: &str| self.families_by_name.get(name).map(|id| self.families[id.0 as usize].kind);
        let (family, role, labels) = SampleRole::of(&name, labels, declared);
        let family = self.family(family);
        self.families[family.0 as usize].has_samples = true;
        let meaning = KnownSeries { family, role, labels };
        let series = *self.series_by_meaning.entry(meaning).or_insert_with_key(|meaning| {
            self.series.push(meaning.clone());
            SeriesId(self.series.len() as u32 - 1)
        });
        self.known_line(sample.key, Some(series))
    }

    fn has_room(&self, text: &str) -> bool {
        self.lines.len() < self.limits.series && self.text + text.len() <= self.limits.text
    }

    fn known_line(&mut self, text: &str, series: Option<SeriesId>) -> Option<u32> {
        if let Some(id) = self.lines_by_text.get(text) {
            return Some(*id);
        }
        if !self.has_room(text) {
            return None;
        }
        let id = self.lines.len() as u32;
        self.lines.push(KnownLine { text: text.into(), series, next: None });
        self.lines_by_text.insert(text.into(), id);
        self.text += text.len();
        Some(id)
    }

    /// The family of this name, which becomes known as untyped if it was not declared.
    fn family(&mut self, name: &str) -> FamilyId {
        if let Some(id) = self.families_by_name.get(name) {
            return *id;
        }
        let id = FamilyId(self.families.len() as u32);
        let kind = MetricType::Unknown;
        self.families.push(KnownFamily {
            name: name.to_owned(),
            kind,
            help: String::new(),
            unit: None,
            changed_to: None,
            has_samples: false,
        });
        self.families_by_name.insert(name.to_owned(), id);
        id
    }

    /// Takes in a comment that declares something.
    fn apply(&mut self, comment: PageLine<'_>) {
        let (PageLine::Help { name, .. } | PageLine::Type { name, .. } | PageLine::Unit { name, .. }) = comment else {
            return;
        };
        if !self.families_by_name.contains_key(name) && !self.has_room(name) {
            return;
        }
        let id = self.family(name);
        let family = &mut self.families[id.0 as usize];
        match comment {
            PageLine::Help { text, .. } => family.help = super::labels::unescaped(text).into_owned(),
            PageLine::Unit { unit, .. } if !unit.is_empty() => family.unit = Some(unit.to_owned()),
            PageLine::Type { kind, .. } => {
                let kind = MetricType::of_name(kind);
                if !family.has_samples {
                    family.kind = kind;
                } else if family.kind != kind {
                    family.changed_to = Some(kind);
                }
            }
            _ => {}
        }
    }
}

/// The error for a line. The first line of a page tells whether it is Prometheus text at all.
fn refused(number: usize, reason: &'static str, line: &str) -> PageError {
    let is_other = number == 1 && line.trim_start().starts_with(['{', '[', '<']);
    if is_other { PageError::NotMetrics } else { PageError::Line { line: number, reason } }
}
