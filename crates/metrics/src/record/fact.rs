//! The few whole numbers that are kept of a request. Every record metric is a formula over them, so that columns stay
//! small and a formula stands in one place.

use aiperf_protocol::RequestOutcome;

/// One kept number. Spans are nanoseconds from the start of the request unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Fact {
    /// The number of a [`RequestOutcome`].
    Outcome,
    /// Start on the monotonic clock.
    Start,
    /// From permission to send until start.
    CreditToStart,
    /// From when the schedule wanted it sent until start.
    DueToStart,
    End,
    Headers,
    FirstContent,
    /// From the first to the second content.
    SecondGap,
    FirstOutput,
    LastContent,
    /// How many gaps between contents.
    Gaps,
    /// Completion tokens that the server reported with its first content.
    FirstChunkTokens,
    InputTokens,
    OutputTokens,
    ReasoningTokens,
    RequestedTokens,
    UsagePrompt,
    UsageCacheRead,
    UsageCacheWrite,
    UsageCacheMiss,
    UsagePromptAudio,
    UsageToolUse,
    /// Nanoseconds of audio.
    UsageAudioTime,
    UsageCompletion,
    UsageReasoning,
    UsageCompletionAudio,
    UsageAccepted,
    UsageRejected,
    UsageTotal,
    HttpBlocked,
    HttpDns,
    HttpConnecting,
    HttpSending,
    HttpWaiting,
    HttpReceiving,
    HttpReused,
    HttpBytesSent,
    HttpWrites,
    HttpBytesReceived,
    HttpReads,
    Images,
    /// Nanoseconds of audio that was sent.
    AudioTime,
    /// Nanoseconds that the server says a video took.
    VideoTime,
    /// Kilobytes that the server says a video needed at most.
    VideoMemory,
    /// Blocks of the prompt, and those of its front that were sent before.
    PrefixBlocks,
    PrefixReused,
    HttpTls,
    SpecSteps,
    SpecAccepted,
    SpecDrafted,
    /// The bits of a floating-point number, as the server gave it; so is the next one.
    SpecLength,
    SpecRate,
    /// Input tokens that were asked for.
    RequestedInput,
    /// From the first to the second content that is not reasoning.
    SecondOutputGap,
    /// How often the request was sent again; missing if it was sent once.
    Resent,
    /// Nanoseconds that attempts without an answer took, before the one that was answered.
    HttpLost,
    /// Times that the server reports for the request.
    ServerQueue,
    ServerPrefill,
    ServerItl,
    /// From permission to send until the first byte left, without what the network took; missing if nothing was sent.
    ClientSendDelay,
}

impl Fact {
    pub(crate) const COUNT: usize = Self::ClientSendDelay as usize + 1;
}

/// Anything that holds the facts of one request.
pub(crate) trait Facts {
    fn fact(&self, fact: Fact) -> Option<u64>;

    fn outcome(&self) -> Option<RequestOutcome> {
        self.fact(Fact::Outcome).and_then(RequestOutcome::from_number)
    }

    fn succeeded(&self) -> bool {
        self.fact(Fact::Outcome) == Some(RequestOutcome::Success.number())
    }
}
