//! Metrics that inference servers publish about themselves: the pages of each endpoint as series, their values in the window of a phase,
//! and the metrics that operators look at, under the same names for every engine.

mod endpoint;
mod engine;
mod live;
mod metrics;
mod page_search;
mod problem;
mod recorder;
mod statistics;
mod unit;

pub use endpoint::{EndpointHistory, EndpointPlan, FetchStatistics};
pub use engine::{Engine, EngineMetric, EngineReport, HeadlineValue, headlines};
pub use live::LiveServerMetrics;
pub use metrics::{EndpointReport, MetricReport, SeriesReport, ServerMetrics, SliceReport};
pub use page_search::PageAddress;
pub use problem::EndpointProblem;
pub use recorder::{PageRecorder, RecordedPage};
pub use statistics::{RateSpread, SeriesStatistics};
