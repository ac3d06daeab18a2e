//! How many sessions may be in flight, how many requests may wait for their first token, and how both limits grow.

use aiperf_config::Ramp;

use super::{Setting, ramp, setting};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// The options of one phase.
pub(super) struct LimitOptions {
    concurrency: OptionId,
    prefill: OptionId,
    concurrency_ramp: OptionId,
    prefill_ramp: OptionId,
}

pub(super) const PROFILING: LimitOptions = LimitOptions {
    concurrency: OptionId::Concurrency,
    prefill: OptionId::PrefillConcurrency,
    concurrency_ramp: OptionId::ConcurrencyRampDuration,
    prefill_ramp: OptionId::PrefillConcurrencyRampDuration,
};

pub(super) const WARMUP: LimitOptions = LimitOptions {
    concurrency: OptionId::WarmupConcurrency,
    prefill: OptionId::WarmupPrefillConcurrency,
    concurrency_ramp: OptionId::WarmupConcurrencyRampDuration,
    prefill_ramp: OptionId::WarmupPrefillConcurrencyRampDuration,
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    concurrency: Option<Setting<usize>>,
    prefill: Option<Setting<usize>>,
    concurrency_ramp: Option<Setting<Ramp>>,
    prefill_ramp: Option<Setting<Ramp>>,
}

impl Limits {
    pub(super) fn read(raw: &RawOptions, options: &LimitOptions) -> Result<Limits, ConfigError> {
        Ok(Limits {
            concurrency: setting(options.concurrency, raw.int(options.concurrency)?),
            prefill: setting(options.prefill, raw.int(options.prefill)?),
            concurrency_ramp: ramp::read(raw, options.concurrency_ramp)?,
            prefill_ramp: ramp::read(raw, options.prefill_ramp)?,
        })
    }

    /// What is not set here is as it is there.
    pub(super) fn or(self, other: Limits) -> Limits {
        Limits {
            concurrency: self.concurrency.or(other.concurrency),
            prefill: self.prefill.or(other.prefill),
            concurrency_ramp: self.concurrency_ramp.or(other.concurrency_ramp),
            prefill_ramp: self.prefill_ramp.or(other.prefill_ramp),
        }
    }

    pub(super) fn without_ramps(self) -> Limits {
        Limits { concurrency_ramp: None, prefill_ramp: None, ..self }
    }

    pub(super) fn concurrency(&self) -> Option<usize> {
        self.concurrency.map(|limit| limit.value)
    }

    pub(super) fn prefill(&self) -> Option<usize> {
        self.prefill.map(|limit| limit.value)
    }

    pub(super) fn concurrency_ramp(&self) -> Option<Ramp> {
        ramp::of(self.concurrency_ramp)
    }

    /// `None` without a limit that it could raise.
    pub(super) fn prefill_ramp(&self) -> Option<Ramp> {
        ramp::of(self.prefill_ramp.filter(|_| self.prefill.is_some()))
    }

    /// A ramp of prefill concurrency that has no limit to raise: the reference accepts it, so it is a warning.
    pub(super) fn warning(&self, raw: &RawOptions, options: &LimitOptions) -> Option<String> {
        let ramp = self.prefill_ramp.filter(|_| self.prefill.is_none())?;
        let needed = options.prefill.flag();
        Some(format!("{} has no effect: there is no {needed} that it could raise", raw.spelling(ramp.option)))
    }

    /// A burst without a concurrency has one session in flight; the other modes have no limit then.
    pub(super) fn check(
        &self,
        raw: &RawOptions,
        options: &LimitOptions,
        burst: bool,
        streaming: bool,
    ) -> Result<(), ConfigError> {
        if let Some(prefill) = self.prefill {
            match self.concurrency {
                Some(limit) if prefill.value > limit.value => {
                    let (most, wanted) = (limit.value, prefill.value);
                    let why =
                        format!("with {most} sessions in flight, {wanted} requests can never wait for a first token");
                    return Err(raw.conflict(prefill.option, limit.option, &why));
                }
                None if burst && prefill.value > 1 => {
                    let why = "without it one session is in flight, so at most one request can wait for a first token";
                    return Err(raw.needs(prefill.option, options.concurrency, why));
                }
                _ => {}
            }
            if !streaming {
                let why = "a response that is not streamed has no first token to wait for";
                return Err(raw.needs(prefill.option, OptionId::Streaming, why));
            }
        }
        if let (Some(ramp), None) = (self.concurrency_ramp, self.concurrency) {
            return Err(raw.needs(ramp.option, options.concurrency, "without it there is no limit to raise"));
        }
        Ok(())
    }
}
