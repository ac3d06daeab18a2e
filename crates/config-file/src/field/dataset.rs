//! What requests contain: an entry of `benchmark.datasets`, by its type.

use aiperf_options::catalogue::OptionId;

use super::Form::{Distribution, Flag, List, Own, Pairs, Scalar, Section};
use super::{Field, OwnForm};

const ISL: Field = Field::new("isl", Distribution(OptionId::PromptInputTokensMean, OptionId::PromptInputTokensStddev));
const OSL: Field =
    Field::new("osl", Distribution(OptionId::PromptOutputTokensMean, OptionId::PromptOutputTokensStddev));
const ENTRIES: Field = Field::new("entries", Scalar(OptionId::NumDatasetEntries));
const SAMPLING: Field = Field::new("sampling", Scalar(OptionId::DatasetSamplingStrategy));
const RANDOM_SEED: Field = Field::new("random_seed", Scalar(OptionId::DatasetRandomSeed));
const SYSTEM_PROMPT: Field = Field::new("system_prompt", Scalar(OptionId::SystemPrompt));
const SYSTEM_PROMPT_FILE: Field = Field::new("system_prompt_file", Scalar(OptionId::SystemPromptFile));
const CACHE_BUST: Field = Field::new("cache_bust", Section(&[Field::new("target", Scalar(OptionId::CacheBust))]));
const SYNTHESIS: Field = Field::new("synthesis", Section(SYNTHESIS_FIELDS));
const IGNORE_TRACE_DELAYS: Field = Field::new("ignore_trace_delays", Flag(OptionId::IgnoreTraceDelays));
const USE_THINK_TIME_ONLY: Field = Field::new("use_think_time_only", Flag(OptionId::UseThinkTimeOnly));
const MAX_CONTEXT_LENGTH: Field = Field::new("max_context_length", Scalar(OptionId::MaxContextLength));
const TRACE_IDLE_GAP: Field = Field::new("trace_idle_gap_cap_seconds", Scalar(OptionId::TraceIdleGapCapSeconds));
const INTER_TURN_DELAY: Field = Field::new("inter_turn_delay_cap_seconds", Scalar(OptionId::InterTurnDelayCapSeconds));
/// The corpus is used for texts that a data set does not have itself.
const CORPUS: Field = Field::new("prompts", Section(CORPUS_FIELDS));
const CORPUS_FIELDS: &[Field] = &[
    Field::new("corpus", Scalar(OptionId::PromptCorpus)),
    Field::new("corpus_file", Scalar(OptionId::PromptCorpusFile)),
];

/// Texts that are put before the conversations of any data set.
const CONTEXT_PROMPTS: Field = Field::new("prefix_prompts", Section(CONTEXT_PROMPT_FIELDS));
const CONTEXT_PROMPT_FIELDS: &[Field] = &[
    Field::new("shared_system_length", Scalar(OptionId::SharedSystemPromptLength)),
    Field::new("user_context_length", Scalar(OptionId::UserContextPromptLength)),
];

pub(crate) const SYNTHETIC_DATASET: &[Field] = &[
    ENTRIES,
    RANDOM_SEED,
    SAMPLING,
    ISL,
    OSL,
    Field::new("prompts", Section(PROMPTS)),
    Field::new("prefix_prompts", Section(PREFIX_PROMPTS)),
    Field::new("turns", Distribution(OptionId::ConversationTurnMean, OptionId::ConversationTurnStddev)),
    Field::new("turn_delay", Distribution(OptionId::ConversationTurnDelayMean, OptionId::ConversationTurnDelayStddev)),
    Field::new("turn_delay_ratio", Scalar(OptionId::ConversationTurnDelayRatio)),
    Field::new("images", Section(IMAGES)),
    Field::new("audio", Section(AUDIO)),
    Field::new("video", Section(VIDEO)),
    Field::new("rankings", Section(RANKINGS)),
    SYSTEM_PROMPT,
    SYSTEM_PROMPT_FILE,
];

const PROMPTS: &[Field] = &[
    ISL,
    OSL,
    Field::new("block_size", Scalar(OptionId::PromptInputTokensBlockSize)),
    Field::new("batch_size", Scalar(OptionId::PromptBatchSize)),
    Field::new("corpus", Scalar(OptionId::PromptCorpus)),
    Field::new("corpus_file", Scalar(OptionId::PromptCorpusFile)),
    CACHE_BUST,
    Field::new("sequence_distribution", Own(OwnForm::SequenceDistribution)),
    Field::new("random_range_ratio", Scalar(OptionId::RandomRangeRatio)),
    Field::new("random_corpus_style", Scalar(OptionId::RandomCorpusStyle)),
];

const PREFIX_PROMPTS: &[Field] = &[
    Field::new("pool_size", Scalar(OptionId::PromptPrefixPoolSize)),
    Field::new("length", Scalar(OptionId::PromptPrefixLength)),
    Field::new("shared_system_length", Scalar(OptionId::SharedSystemPromptLength)),
    Field::new("user_context_length", Scalar(OptionId::UserContextPromptLength)),
];

const IMAGES: &[Field] = &[
    Field::new("batch_size", Scalar(OptionId::ImageBatchSize)),
    Field::new("width", Distribution(OptionId::ImageWidthMean, OptionId::ImageWidthStddev)),
    Field::new("height", Distribution(OptionId::ImageHeightMean, OptionId::ImageHeightStddev)),
    Field::new("format", Scalar(OptionId::ImageFormat)),
    Field::new("source", Scalar(OptionId::ImageSource)),
    Field::new("source_sampling", Scalar(OptionId::ImageSourceSampling)),
];

const AUDIO: &[Field] = &[
    Field::new("batch_size", Scalar(OptionId::AudioBatchSize)),
    Field::new("length", Distribution(OptionId::AudioLengthMean, OptionId::AudioLengthStddev)),
    Field::new("format", Scalar(OptionId::AudioFormat)),
    Field::new("sample_rates", List(OptionId::AudioSampleRates)),
    Field::new("depths", List(OptionId::AudioDepths)),
    Field::new("channels", Scalar(OptionId::AudioNumChannels)),
];

const VIDEO: &[Field] = &[
    Field::new("batch_size", Scalar(OptionId::VideoBatchSize)),
    Field::new("duration", Scalar(OptionId::VideoDuration)),
    Field::new("fps", Scalar(OptionId::VideoFps)),
    Field::new("width", Scalar(OptionId::VideoWidth)),
    Field::new("height", Scalar(OptionId::VideoHeight)),
    Field::new("format", Scalar(OptionId::VideoFormat)),
    Field::new("codec", Scalar(OptionId::VideoCodec)),
    Field::new("synth_type", Scalar(OptionId::VideoSynthType)),
    Field::new("audio", Section(VIDEO_AUDIO)),
];

const VIDEO_AUDIO: &[Field] = &[
    Field::new("sample_rate", Scalar(OptionId::VideoAudioSampleRate)),
    Field::new("channels", Scalar(OptionId::VideoAudioNumChannels)),
    Field::new("codec", Scalar(OptionId::VideoAudioCodec)),
    Field::new("depth", Scalar(OptionId::VideoAudioDepth)),
];

const RANKINGS: &[Field] = &[
    Field::new("passages", Distribution(OptionId::RankingsPassagesMean, OptionId::RankingsPassagesStddev)),
    Field::new(
        "passage_tokens",
        Distribution(OptionId::RankingsPassagesPromptTokenMean, OptionId::RankingsPassagesPromptTokenStddev),
    ),
    Field::new(
        "query_tokens",
        Distribution(OptionId::RankingsQueryPromptTokenMean, OptionId::RankingsQueryPromptTokenStddev),
    ),
];

pub(crate) const FILE_DATASET: &[Field] = &[
    Field::new("path", Scalar(OptionId::InputFile)),
    Field::new("records", Own(OwnForm::InlineRecords)),
    Field::new("format", Own(OwnForm::FileFormat)),
    SAMPLING,
    ENTRIES,
    OSL,
    SYNTHESIS,
    Field::new("block_size", Scalar(OptionId::PromptInputTokensBlockSize)),
    Field::new("prompt_batch_size", Scalar(OptionId::PromptBatchSize)),
    Field::new("image_batch_size", Scalar(OptionId::ImageBatchSize)),
    Field::new("audio_batch_size", Scalar(OptionId::AudioBatchSize)),
    Field::new("video_batch_size", Scalar(OptionId::VideoBatchSize)),
    IGNORE_TRACE_DELAYS,
    USE_THINK_TIME_ONLY,
    MAX_CONTEXT_LENGTH,
    TRACE_IDLE_GAP,
    INTER_TURN_DELAY,
    Field::new("trace_session_sample_ratio", Scalar(OptionId::TraceSessionSampleRatio)),
    Field::new("max_idle_gap_cap_seconds", Scalar(OptionId::MaxIdleGapCapSeconds)),
    Field::new("replay_speedup", Scalar(OptionId::ReplaySpeedup)),
    Field::new("open_loop_replay", Flag(OptionId::OpenLoopReplay)),
    Field::new("open_loop_strict", Flag(OptionId::OpenLoopStrict)),
    Field::new("omit_kv_hints", Flag(OptionId::OmitKvHints)),
    Field::new("force_min_tokens", Flag(OptionId::ForceMinTokens)),
    CACHE_BUST,
    CORPUS,
    SYSTEM_PROMPT,
    SYSTEM_PROMPT_FILE,
    RANDOM_SEED,
    // The reference has no fields for these.
    Field::new("skip_bad_rows", Flag(OptionId::SkipBadRows)),
    CONTEXT_PROMPTS,
];

pub(crate) const PUBLIC_DATASET: &[Field] = &[
    Field::new("dataset", Scalar(OptionId::PublicDataset)),
    ENTRIES,
    SAMPLING,
    RANDOM_SEED,
    Field::new("hf_subset", Scalar(OptionId::HfSubset)),
    Field::new("filters", Pairs(OptionId::DatasetFilter)),
    Field::new("hf_weka_dataset", Scalar(OptionId::HfWekaDataset)),
    OSL,
    SYNTHESIS,
    IGNORE_TRACE_DELAYS,
    USE_THINK_TIME_ONLY,
    MAX_CONTEXT_LENGTH,
    TRACE_IDLE_GAP,
    INTER_TURN_DELAY,
    CACHE_BUST,
    CORPUS,
    SYSTEM_PROMPT,
    SYSTEM_PROMPT_FILE,
    // The reference has no field for this.
    CONTEXT_PROMPTS,
];

const SYNTHESIS_FIELDS: &[Field] = &[
    Field::new("speedup_ratio", Scalar(OptionId::SynthesisSpeedupRatio)),
    Field::new("prefix_len_multiplier", Scalar(OptionId::SynthesisPrefixLenMultiplier)),
    Field::new("prefix_root_multiplier", Scalar(OptionId::SynthesisPrefixRootMultiplier)),
    Field::new("prompt_len_multiplier", Scalar(OptionId::SynthesisPromptLenMultiplier)),
    Field::new("output_len_multiplier", Scalar(OptionId::SynthesisOutputLenMultiplier)),
    Field::new("max_isl", Scalar(OptionId::SynthesisMaxIsl)),
    Field::new("max_osl", Scalar(OptionId::SynthesisMaxOsl)),
    Field::new("allow_dataset_wrap", Flag(OptionId::AllowDatasetWrap)),
];
