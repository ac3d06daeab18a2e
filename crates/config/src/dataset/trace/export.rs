//! What is changed in a trace.

use crate::section::Section;
use crate::{Replay, TraceCorpus, TraceOptions, TraceSynthesis};

pub(crate) fn put(section: &mut Section, trace: &TraceOptions) {
    section.put_some("block_size", trace.block_size);
    section.put_some("prompt_corpus", trace.corpus.map(TraceCorpus::name));
    section.put_if("ignore_trace_delays", trace.ignore_times);
    let (synthesis, usual) = (trace.synthesis, TraceSynthesis::default());
    let mut part = Section::default();
    put_changed(&mut part, "speedup_ratio", synthesis.speedup, usual.speedup);
    put_changed(&mut part, "prefix_len_multiplier", synthesis.prefix_len, usual.prefix_len);
    part.put_some("prefix_root_multiplier", Some(synthesis.prefix_roots).filter(|roots| *roots != usual.prefix_roots));
    put_changed(&mut part, "prompt_len_multiplier", synthesis.prompt_len, usual.prompt_len);
    put_changed(&mut part, "output_len_multiplier", synthesis.output_len, usual.output_len);
    part.put_some("max_isl", synthesis.max_isl);
    part.put_some("max_osl", synthesis.max_osl);
    section.put_some("synthesis", part.finish_unless_empty());
    let (replay, usual) = (trace.replay, Replay::default());
    put_changed(section, "replay_speedup", replay.speedup, usual.speedup);
    section.put_some("max_idle_gap_cap_seconds", replay.max_idle_gap_ms.map(|ms| ms / 1e3));
    section.put_if("open_loop_strict", replay.strict);
    section.put_some("open_loop_replay", replay.closed_loop.then_some(false));
    section.put_if("omit_kv_hints", !replay.block_hints);
    section.put_some("force_min_tokens", (!replay.min_tokens).then_some(false));
    put_changed(section, "trace_session_sample_ratio", replay.session_share, usual.session_share);
    section.put_some(
        "session_column",
        (replay.session_column != usual.session_column).then(|| replay.session_column.name()),
    );
    section.put_if("use_think_time_only", trace.agents.think_time_only);
    section.put_some("trace_idle_gap_cap_seconds", trace.agents.idle_gap_cap_s);
    section.put_some("max_context_length", trace.agents.max_context);
}

fn put_changed(section: &mut Section, key: &str, value: f64, usual: f64) {
    section.put_some(key, Some(value).filter(|value| value.total_cmp(&usual).is_ne()));
}
