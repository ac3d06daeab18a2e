//! The records of an offline run that are written here. Field numbers are those that the client's own files have.

use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WandbRecord {
    /// Counts from 1.
    #[prost(int64, tag = "1")]
    pub(crate) number: i64,
    #[prost(oneof = "RecordContent", tags = "2, 3, 6, 17, 18, 21")]
    pub(crate) content: Option<RecordContent>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum RecordContent {
    /// One row of values over time.
    #[prost(message, tag = "2")]
    History(HistoryRow),
    /// The values that stand for the run.
    #[prost(message, tag = "3")]
    Summary(KeyedValues),
    #[prost(message, tag = "6")]
    Files(RunFileList),
    #[prost(message, tag = "17")]
    Run(RunIdentity),
    #[prost(message, tag = "18")]
    Exit(RunExit),
    #[prost(message, tag = "21")]
    Header(FileHeader),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FileHeader {
    #[prost(message, optional, tag = "1")]
    pub(crate) version: Option<WriterVersion>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WriterVersion {
    #[prost(string, tag = "1")]
    pub(crate) producer: String,
    #[prost(string, tag = "2")]
    pub(crate) min_consumer: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RunIdentity {
    #[prost(string, tag = "1")]
    pub(crate) run_id: String,
    #[prost(string, tag = "2")]
    pub(crate) entity: String,
    #[prost(string, tag = "3")]
    pub(crate) project: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) config: Option<KeyedValues>,
    #[prost(string, tag = "8")]
    pub(crate) display_name: String,
    #[prost(string, repeated, tag = "10")]
    pub(crate) tags: Vec<String>,
    #[prost(string, tag = "13")]
    pub(crate) host: String,
    #[prost(message, optional, tag = "17")]
    pub(crate) start_time: Option<RecordTime>,
}

/// Seconds and nanoseconds since the epoch.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RecordTime {
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(crate) nanos: i32,
}

/// Configuration and summary have the same form.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyedValues {
    #[prost(message, repeated, tag = "1")]
    pub(crate) update: Vec<KeyedValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyedValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    /// Instead of the key, if the value lies within others.
    #[prost(string, repeated, tag = "2")]
    pub(crate) nested_key: Vec<String>,
    #[prost(string, tag = "16")]
    pub(crate) value_json: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HistoryRow {
    #[prost(message, repeated, tag = "1")]
    pub(crate) items: Vec<KeyedValue>,
    #[prost(message, optional, tag = "2")]
    pub(crate) step: Option<HistoryStep>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HistoryStep {
    #[prost(int64, tag = "1")]
    pub(crate) number: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RunFileList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) files: Vec<ListedFile>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListedFile {
    /// Relative to `files/` of the run.
    #[prost(string, tag = "1")]
    pub(crate) path: String,
    /// 0: uploaded at once, 1: at the end.
    #[prost(int32, tag = "2")]
    pub(crate) policy: i32,
    /// 0: any file, 2: a medium, such as a table.
    #[prost(int32, tag = "3")]
    pub(crate) kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RunExit {
    #[prost(int32, tag = "1")]
    pub(crate) exit_code: i32,
    /// Seconds.
    #[prost(int32, tag = "2")]
    pub(crate) runtime: i32,
}
