//! The one table of all metrics. Its order is the order in files wherever a format does not fix another.

use crate::catalogue::metric::catalogue;
use crate::catalogue::unit::Unit::{
    Bytes, CostPerMillionTokens, CostPerThousandRequests, Count, GoodRequestsPerSecondPerWatt, Images, ImagesPerSecond,
    JouleSeconds, Joules, JoulesPerRequest, JoulesPerUser, Kilobytes, Megabytes, MillijoulesPerToken, Milliseconds,
    MillisecondsPerImage, Nanoseconds, Percent, Ratio, Requests, RequestsPerSecond, RequestsPerSecondPerWatt, Seconds,
    Tokens, TokensPerJoule, TokensPerSecond, TokensPerSecondPerUser, TokensPerSecondPerWatt, Watts,
};

catalogue! {
    TimeToFirstToken "time_to_first_token" "Time to First Token"; Nanoseconds => Milliseconds, Record, Main 100,
        [STREAM TOKENS_OUT]; "first content - start";
    TimeToSecondToken "time_to_second_token" "Time to Second Token"; Nanoseconds => Milliseconds, Record, Main 200,
        [STREAM TOKENS_OUT]; "second content - first content";
    TimeToFirstOutputToken "time_to_first_output_token" "Time to First Output Token";
        Nanoseconds => Milliseconds, Record, Main 210,
        [STREAM TOKENS_OUT]; "first content that is not reasoning alone - start";
    RequestLatency "request_latency" "Request Latency"; Nanoseconds => Milliseconds, Record, Main 300,
        []; "last content - start";
    DecodeDuration "decode_duration" "Decode Duration"; Nanoseconds => Milliseconds, Record, Main 350,
        [STREAM TOKENS_OUT]; "request_latency - time_to_first_token";
    InterTokenLatency "inter_token_latency" "Inter Token Latency"; Nanoseconds => Milliseconds, Record, Main 400,
        [STREAM TOKENS_OUT];
        "decode_duration / (output_sequence_length - k); k = 1, or the tokens of the first chunk with --per-chunk-usage";
    InterChunkLatency "inter_chunk_latency" "Inter Chunk Latency"; Nanoseconds => Milliseconds, RecordList, FilesOnly last,
        [STREAM TOKENS_OUT]; "gaps between consecutive content events, pooled over requests";
    OutputTokenThroughputPerUser "output_token_throughput_per_user" "Output Token Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, Record, Main 500,
        [STREAM TOKENS_OUT LARGER]; "1 / inter_token_latency";
    E2eOutputTokenThroughput "e2e_output_token_throughput" "E2E Output Token Throughput";
        TokensPerSecondPerUser => TokensPerSecondPerUser, Record, Main 510,
        [TOKENS_OUT LARGER]; "output_sequence_length / request_latency";
    PrefillThroughputPerUser "prefill_throughput_per_user" "Prefill Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, Record, FilesOnly last,
        [STREAM TOKENS_OUT TOKENS_IN LARGER]; "input_sequence_length / time_to_first_token";
    StreamSetupLatency "stream_setup_latency" "Stream Setup Latency"; Nanoseconds => Milliseconds, Record, Main last,
        [STREAM EXPERIMENTAL]; "response headers - start";
    StreamPrefillLatency "stream_prefill_latency" "Stream Prefill Latency"; Nanoseconds => Milliseconds, Record, Main last,
        [STREAM TOKENS_OUT EXPERIMENTAL]; "time_to_first_token - stream_setup_latency";

    OutputSequenceLength "output_sequence_length" "Output Sequence Length"; Tokens => Tokens, Record, Main 600,
        [TOKENS_OUT LARGER WHOLE]; "output tokens + reasoning tokens";
    InputSequenceLength "input_sequence_length" "Input Sequence Length"; Tokens => Tokens, Record, Main 700,
        [TOKENS_IN LARGER WHOLE]; "input tokens";
    OutputTokenCount "output_token_count" "Output Token Count"; Tokens => Tokens, Record, FilesOnly last,
        [TOKENS_OUT LARGER WHOLE]; "output tokens without reasoning, when there are any";
    ReasoningTokenCount "reasoning_token_count" "Reasoning Token Count"; Tokens => Tokens, Record, FilesOnly last,
        [REASONING TOKENS_OUT LARGER WHOLE]; "reasoning tokens";
    ErrorIsl "error_isl" "Error Input Sequence Length"; Tokens => Tokens, Record, FilesOnly 700,
        [ERRORS TOKENS_IN LARGER WHOLE]; "input tokens of a failed request";
    RequestedOsl "requested_osl" "Requested OSL"; Tokens => Tokens, Record, FilesOnly last,
        [TOKENS_OUT INTERNAL WHOLE]; "output tokens asked for, of all choices together";
    OslMismatchDiffPct "osl_mismatch_diff_pct" "OSL Mismatch Diff %"; Percent => Percent, Record, FilesOnly last,
        [TOKENS_OUT]; "(output_sequence_length - requested_osl) / requested_osl * 100";
    ThinkingEfficiency "thinking_efficiency" "Thinking Efficiency"; Ratio => Ratio, Record, Main last,
        [REASONING TOKENS_OUT EXPERIMENTAL]; "reasoning_token_count / output_token_count";

    NumImages "num_images" "Number of Images"; Images => Images, Record, FilesOnly last,
        [IMAGE WHOLE]; "images in the request";
    ImageThroughput "image_throughput" "Image Throughput"; ImagesPerSecond => ImagesPerSecond, Record, Main 860,
        [IMAGE LARGER]; "num_images / request_latency";
    ImageLatency "image_latency" "Image Latency"; MillisecondsPerImage => MillisecondsPerImage, Record, Main 861,
        [IMAGE]; "request_latency / num_images";
    AudioDuration "audio_duration" "Audio Duration"; Seconds => Seconds, Record, FilesOnly 870,
        [AUDIO]; "seconds of audio in the request";
    Rtfx "rtfx" "Inverse Real-Time Factor (RTFx)"; Ratio => Ratio, Record, Main 850,
        [AUDIO LARGER]; "audio_duration / request_latency";
    VideoInferenceTime "video_inference_time" "Video Inference Time"; Seconds => Milliseconds, Record, Main 310,
        [VIDEO_OUT]; "inference_time_s that the server reports";
    VideoPeakMemory "video_peak_memory" "Video Peak Memory"; Megabytes => Megabytes, Record, Main 311,
        [VIDEO_OUT]; "peak_memory_mb that the server reports";

    SpecDecodeAcceptanceLength "spec_decode_acceptance_length" "Acceptance Length"; Ratio => Ratio, Record, SpecDecode 5000,
        [SPEC_DECODE LARGER]; "mean_acceptance_length that the server reports: 1 + accepted / steps";
    SpecDecodeDraftAcceptanceRate "spec_decode_draft_acceptance_rate" "Draft Acceptance Rate";
        Percent => Percent, Record, SpecDecode 5020,
        [SPEC_DECODE LARGER]; "draft_acceptance_rate that the server reports * 100";
    SpecDecodeAcceptedPerVerified "spec_decode_accepted_per_verified" "Accepted per Verified";
        Ratio => Ratio, Record, SpecDecode 5030,
        [SPEC_DECODE LARGER]; "(accepted + steps) / (drafted + steps)";
    SpecDecodeSteps "spec_decode_steps" "Spec Decode Steps"; Count => Count, Record, SpecDecode 5040,
        [SPEC_DECODE WHOLE]; "verification steps of the request";
    SpecDecodeAcceptedDraftTokens "spec_decode_accepted_draft_tokens" "Accepted Draft Tokens";
        Tokens => Tokens, Record, FilesOnly 5050,
        [SPEC_DECODE WHOLE]; "draft tokens that the model accepted";
    SpecDecodeDraftTokens "spec_decode_draft_tokens" "Draft Tokens"; Tokens => Tokens, Record, FilesOnly 5060,
        [SPEC_DECODE WHOLE]; "draft tokens that were proposed";

    ServerTimeToFirstToken "server_time_to_first_token" "Server Time to First Token";
        Nanoseconds => Milliseconds, Record, ServerTimes 5200,
        [SERVER_TIMES]; "server_queue_time + server_prefill_time";
    ServerInterTokenLatency "server_inter_token_latency" "Server Inter Token Latency";
        Nanoseconds => Milliseconds, Record, ServerTimes 5210,
        [SERVER_TIMES]; "mean_itl_ms that the server reports";
    TtftClientTime "ttft_client_time" "TTFT: Client"; Nanoseconds => Milliseconds, Record, ServerTimes 5220,
        [SERVER_TIMES STREAM]; "part of time_to_first_token before the request was sent: http_req_blocked + http_req_sending";
    TtftNetworkTime "ttft_network_time" "TTFT: Network and HTTP"; Nanoseconds => Milliseconds, Record, ServerTimes 5230,
        [SERVER_TIMES STREAM]; "time_to_first_token - ttft_client_time - server_time_to_first_token, at least 0";
    ServerQueueTime "server_queue_time" "TTFT: Server Queue"; Nanoseconds => Milliseconds, Record, ServerTimes 5240,
        [SERVER_TIMES]; "queue_time_ms that the server reports";
    ServerPrefillTime "server_prefill_time" "TTFT: Server Prefill"; Nanoseconds => Milliseconds, Record, ServerTimes 5250,
        [SERVER_TIMES]; "time_to_first_token_ms that the server reports: vLLM counts it from the end of the queue";

    UsagePromptTokens "usage_prompt_tokens" "Usage Prompt Tokens"; Tokens => Tokens, Record, Usage 1000,
        [USAGE LARGER WHOLE]; "prompt tokens by the server's count";
    UsagePromptCacheReadTokens "usage_prompt_cache_read_tokens" "Usage Prompt Cache Read Tokens";
        Tokens => Tokens, Record, Usage 1010,
        [USAGE LARGER WHOLE]; "prompt tokens read from the server's cache";
    UsagePromptCacheWriteTokens "usage_prompt_cache_write_tokens" "Usage Prompt Cache Write Tokens";
        Tokens => Tokens, Record, Usage 1015,
        [USAGE WHOLE]; "prompt tokens written to the server's cache";
    UsagePromptCacheMissTokens "usage_prompt_cache_miss_tokens" "Usage Prompt Cache Miss Tokens";
        Tokens => Tokens, Record, Usage 1017,
        [USAGE WHOLE]; "prompt tokens not found in the server's cache";
    UsagePromptAudioTokens "usage_prompt_audio_tokens" "Usage Prompt Audio Tokens"; Tokens => Tokens, Record, Usage 1020,
        [USAGE AUDIO LARGER WHOLE]; "audio tokens of the prompt by the server's count";
    UsageToolUsePromptTokens "usage_tool_use_prompt_tokens" "Usage Tool Use Prompt Tokens"; Tokens => Tokens, Record, Usage 1030,
        [USAGE WHOLE]; "prompt tokens that came of tool use";
    UsagePromptAudioSeconds "usage_prompt_audio_seconds" "Usage Prompt Audio Seconds"; Seconds => Seconds, Record, Usage 1040,
        [USAGE AUDIO LARGER]; "seconds of audio in the prompt by the server's count";
    UsageCompletionTokens "usage_completion_tokens" "Usage Completion Tokens"; Tokens => Tokens, Record, Usage 1100,
        [USAGE LARGER WHOLE]; "completion tokens by the server's count";
    UsageReasoningTokens "usage_reasoning_tokens" "Usage Reasoning Tokens"; Tokens => Tokens, Record, Usage 1110,
        [REASONING USAGE TOKENS_OUT LARGER WHOLE]; "reasoning tokens by the server's count";
    UsageCompletionAudioTokens "usage_completion_audio_tokens" "Usage Completion Audio Tokens";
        Tokens => Tokens, Record, Usage 1120,
        [USAGE TOKENS_OUT AUDIO LARGER WHOLE]; "audio tokens of the completion by the server's count";
    UsageAcceptedPredictionTokens "usage_accepted_prediction_tokens" "Usage Accepted Prediction Tokens";
        Tokens => Tokens, Record, Usage 1130,
        [USAGE TOKENS_OUT LARGER WHOLE]; "predicted tokens that the server took";
    UsageRejectedPredictionTokens "usage_rejected_prediction_tokens" "Usage Rejected Prediction Tokens";
        Tokens => Tokens, Record, Usage 1140,
        [USAGE TOKENS_OUT WHOLE]; "predicted tokens that the server refused";
    UsageTotalTokens "usage_total_tokens" "Usage Total Tokens"; Tokens => Tokens, Record, Usage 1200,
        [USAGE TOKENS_OUT LARGER WHOLE]; "all tokens by the server's count";
    UsagePromptTokensDiffPct "usage_prompt_tokens_diff_pct" "Usage Prompt Diff %"; Percent => Percent, Record, FilesOnly last,
        [USAGE TOKENS_IN CLIENT_COUNT]; "|usage_prompt_tokens - input_sequence_length| / input_sequence_length * 100";
    UsageCompletionTokensDiffPct "usage_completion_tokens_diff_pct" "Usage Completion Diff %";
        Percent => Percent, Record, FilesOnly last,
        [USAGE TOKENS_OUT CLIENT_COUNT]; "|usage_completion_tokens - output_sequence_length| / output_sequence_length * 100";
    UsageReasoningTokensDiffPct "usage_reasoning_tokens_diff_pct" "Usage Reasoning Diff %";
        Percent => Percent, Record, FilesOnly last,
        [REASONING USAGE TOKENS_OUT CLIENT_COUNT];
        "|usage_reasoning_tokens - reasoning_token_count| / reasoning_token_count * 100";

    HttpReqBlocked "http_req_blocked" "HTTP Blocked"; Nanoseconds => Milliseconds, Record, HttpTrace 2000,
        [TRACE]; "wait for a free connection";
    HttpReqLost "http_req_lost" "HTTP Lost"; Nanoseconds => Milliseconds, Record, HttpTrace 2005,
        [TRACE]; "attempts that the server left without an answer, of requests that were sent again";
    HttpReqDnsLookup "http_req_dns_lookup" "HTTP DNS Lookup"; Nanoseconds => Milliseconds, Record, HttpTrace 2010,
        [TRACE]; "name look-up; 0 on a reused connection or a literal address";
    HttpReqConnecting "http_req_connecting" "HTTP Connecting"; Nanoseconds => Milliseconds, Record, HttpTrace 2020,
        [TRACE]; "TCP and TLS; 0 on a reused connection";
    HttpReqTlsHandshaking "http_req_tls_handshaking" "HTTP TLS Handshaking"; Nanoseconds => Milliseconds, Record, HttpTrace 2025,
        [TRACE]; "the TLS part of http_req_connecting, of requests that opened a TLS connection";
    HttpReqSending "http_req_sending" "HTTP Sending"; Nanoseconds => Milliseconds, Record, HttpTrace 2030,
        [TRACE]; "connection ready until the last byte of the request was written";
    HttpReqWaiting "http_req_waiting" "HTTP Waiting (TTFB)"; Nanoseconds => Milliseconds, Record, HttpTrace 2040,
        [TRACE]; "last byte of the request until the first byte of the response body";
    HttpReqReceiving "http_req_receiving" "HTTP Receiving"; Nanoseconds => Milliseconds, Record, HttpTrace 2050,
        [TRACE]; "first until last byte of the response body";
    HttpReqConnectionReused "http_req_connection_reused" "HTTP Connection Reused"; Ratio => Ratio, Record, HttpTrace 2060,
        [TRACE WHOLE]; "1 for a reused connection, else 0";
    HttpReqDataSent "http_req_data_sent" "HTTP Data Sent"; Bytes => Kilobytes, Record, HttpTrace 2070,
        [TRACE]; "bytes of the request body";
    HttpReqChunksSent "http_req_chunks_sent" "HTTP Chunks Sent"; Count => Count, Record, HttpTrace 2080,
        [TRACE WHOLE]; "writes of the request body";
    HttpReqDataReceived "http_req_data_received" "HTTP Data Received"; Bytes => Kilobytes, Record, HttpTrace 2090,
        [TRACE]; "bytes of the response body";
    HttpReqChunksReceived "http_req_chunks_received" "HTTP Chunks Received"; Count => Count, Record, HttpTrace 2100,
        [TRACE WHOLE]; "reads that carried response body";
    HttpReqConnectionOverhead "http_req_connection_overhead" "HTTP Connection Overhead";
        Nanoseconds => Milliseconds, Record, HttpTrace 2110,
        [TRACE]; "blocked + dns_lookup + connecting";
    HttpReqDuration "http_req_duration" "HTTP Duration (excl. conn)"; Nanoseconds => Milliseconds, Record, HttpTrace 2120,
        [TRACE]; "sending + waiting + receiving";
    HttpReqTotal "http_req_total" "HTTP Total Time"; Nanoseconds => Milliseconds, Record, HttpTrace 2130,
        [TRACE]; "blocked + lost + dns_lookup + connecting + sending + waiting + receiving";
    ScheduleLag "schedule_lag" "Schedule Lag"; Nanoseconds => Milliseconds, Record, Schedule 3000,
        [OPEN_LOOP ANY_OUTCOME]; "start - due, of all requests";
    TimeToFirstTokenFromDue "time_to_first_token_from_due" "Time to First Token from Due";
        Nanoseconds => Milliseconds, Record, Schedule 3010,
        [OPEN_LOOP STREAM TOKENS_OUT]; "first content - due";
    RequestLatencyFromDue "request_latency_from_due" "Request Latency from Due";
        Nanoseconds => Milliseconds, Record, Schedule 3020,
        [OPEN_LOOP]; "last content - due";
    ReplaySendScheduleOffset "replay_send_schedule_offset" "Replay Send Schedule Offset";
        Nanoseconds => Nanoseconds, Record, FilesOnly last,
        [FIXED_SCHEDULE ANY_OUTCOME INTERNAL WHOLE]; "start - due, of all requests";
    CreditDropLatency "credit_drop_latency" "Credit Drop Latency"; Nanoseconds => Milliseconds, Record, FilesOnly last,
        [INTERNAL]; "start - permission to send, when it is not 0";
    ClientSendDelay "client_send_delay" "Client Send Delay"; Nanoseconds => Milliseconds, Record, FilesOnly last,
        [ANY_OUTCOME];
        "first byte handed to the socket - permission to send, without name lookup, connecting and lost attempts";

    RequestCount "request_count" "Request Count"; Requests => Requests, Aggregate, Main 1100,
        [LARGER NO_RECORD]; "number of successful requests";
    ErrorRequestCount "error_request_count" "Error Request Count"; Requests => Requests, Aggregate, Main last,
        [ERRORS NO_RECORD]; "number of failed requests, without those that the end of the run cut off";
    ContextOverflowCount "context_overflow_count" "Context Overflow Count"; Requests => Requests, Aggregate, Main last,
        [ERRORS NO_RECORD]; "failed requests whose error says that the context is too long";
    CancelledRequestCount "cancelled_request_count" "Cancelled Request Count"; Requests => Requests, Aggregate, Main 1090,
        [ANY_OUTCOME NO_RECORD]; "requests in flight that the end of the run (deadline or Ctrl-C) cut off";
    ResentRequestCount "resent_request_count" "Resent Request Count"; Requests => Requests, Aggregate, Main 1095,
        [ANY_OUTCOME NO_RECORD];
        "times that a request was sent again, because the server had left the connection or did not take it; only above 0";
    GoodRequestCount "good_request_count" "Good Request Count"; Requests => Requests, Aggregate, FilesOnly last,
        [GOODPUT WHOLE]; "successful requests that met every SLO";
    OslMismatchCount "osl_mismatch_count" "OSL Mismatch Count"; Requests => Requests, Aggregate, FilesOnly last,
        [TOKENS_OUT NO_RECORD]; "requests with |output_sequence_length - requested_osl| > min(requested_osl * 5 %, 50)";
    UsageDiscrepancyCount "usage_discrepancy_count" "Usage Discrepancy Count"; Requests => Requests, Aggregate, FilesOnly last,
        [USAGE CLIENT_COUNT NO_RECORD]; "requests where a usage diff is above 10 %";
    MinRequestTimestamp "min_request_timestamp" "Minimum Request Timestamp";
        Nanoseconds => Nanoseconds, Aggregate, FilesOnly last,
        [INTERNAL NO_RECORD]; "first start of a successful request, wall clock";
    MaxResponseTimestamp "max_response_timestamp" "Maximum Response Timestamp";
        Nanoseconds => Nanoseconds, Aggregate, FilesOnly last,
        [INTERNAL NO_RECORD]; "last content of a successful request, wall clock";

    CompletedRequestCount "completed_request_count" "Completed Requests (Success + Error)";
        Requests => Requests, Derived, Main 1075,
        [NO_RECORD]; "request_count + error_request_count";
    RequestErrorRate "request_error_rate" "Request Error Rate"; Percent => Percent, Derived, Main 1080,
        [NO_RECORD]; "error_request_count / completed_request_count * 100";
    BenchmarkDuration "benchmark_duration" "Benchmark Duration"; Nanoseconds => Seconds, Derived, FilesOnly last,
        []; "max_response_timestamp - min_request_timestamp";
    TotalIsl "total_isl" "Total Input Sequence Length"; Tokens => Tokens, Derived, FilesOnly last,
        [TOKENS_IN LARGER]; "sum of input_sequence_length";
    TotalOsl "total_osl" "Total Output Sequence Length"; Tokens => Tokens, Derived, FilesOnly last,
        [TOKENS_OUT LARGER]; "sum of output_sequence_length";
    TotalOutputTokens "total_output_tokens" "Total Output Tokens"; Tokens => Tokens, Derived, FilesOnly last,
        [TOKENS_OUT LARGER]; "sum of output_token_count";
    TotalReasoningTokens "total_reasoning_tokens" "Total Reasoning Tokens"; Tokens => Tokens, Derived, FilesOnly last,
        [REASONING TOKENS_OUT LARGER]; "sum of reasoning_token_count";
    TotalErrorIsl "total_error_isl" "Total Error Input Sequence Length"; Tokens => Tokens, Derived, FilesOnly last,
        [ERRORS TOKENS_IN LARGER]; "sum of error_isl";
    OverallThinkingEfficiency "overall_thinking_efficiency" "Overall Thinking Efficiency"; Ratio => Ratio, Derived, Main last,
        [REASONING TOKENS_OUT EXPERIMENTAL]; "total_reasoning_tokens / total_output_tokens";
    RequestThroughput "request_throughput" "Request Throughput"; RequestsPerSecond => RequestsPerSecond, Derived, Main 900,
        [LARGER]; "request_count / D, D = first permission to send until the last request ended; of several phases the union of these times";
    OutputTokenThroughput "output_token_throughput" "Output Token Throughput";
        TokensPerSecond => TokensPerSecond, Derived, Main 800,
        [TOKENS_OUT LARGER]; "total_osl / D";
    InputTokenThroughput "input_token_throughput" "Input Token Throughput"; TokensPerSecond => TokensPerSecond, Derived, Main 805,
        [TOKENS_IN LARGER]; "total_isl / D";
    OverallOutputTokenThroughputPerUser "overall_output_token_throughput_per_user" "Overall Output Token Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, Derived, FilesOnly last,
        [STREAM TOKENS_OUT LARGER];
        "tokens after the first chunk / decode_duration, each summed over requests that have an inter_token_latency";
    TotalTokenThroughput "total_token_throughput" "Total Token Throughput";
        TokensPerSecond => TokensPerSecond, Derived, FilesOnly last,
        [TOKENS_OUT LARGER]; "(total_isl + total_osl) / D";
    Goodput "goodput" "Goodput"; RequestsPerSecond => RequestsPerSecond, Derived, Main 1000,
        [GOODPUT LARGER]; "good_request_count / D";
    GoodRequestFraction "good_request_fraction" "GoodRequestFraction"; Ratio => Ratio, Derived, FilesOnly last,
        [GOODPUT LARGER]; "good_request_count / completed_request_count";
    TheoreticalPrefixCacheHit "theoretical_prefix_cache_hit" "Theoretical Prefix Cache Hit";
        Percent => Percent, Derived, Main last,
        [LARGER];
        "blocks that a request of the same session had brought before / blocks of all prompts * 100, in the order of the \
         recording";

    ReplaySchedLagP50 "replay_sched_lag_p50" "Replay Schedule Lag p50"; Nanoseconds => Milliseconds, Derived, FilesOnly last,
        [FIXED_SCHEDULE]; "p50 of (replay_send_schedule_offset - its minimum)";
    ReplaySchedLagP90 "replay_sched_lag_p90" "Replay Schedule Lag p90"; Nanoseconds => Milliseconds, Derived, FilesOnly last,
        [FIXED_SCHEDULE]; "p90 of (replay_send_schedule_offset - its minimum)";
    ReplaySchedLagP99 "replay_sched_lag_p99" "Replay Schedule Lag p99"; Nanoseconds => Milliseconds, Derived, FilesOnly last,
        [FIXED_SCHEDULE]; "p99 of (replay_send_schedule_offset - its minimum)";
    ReplaySchedDegraded "replay_sched_degraded" "Replay Schedule Degraded"; Count => Count, Derived, FilesOnly last,
        [FIXED_SCHEDULE]; "1 if replay_sched_lag_p99 > 500 ms, else 0";

    TotalUsagePromptTokens "total_usage_prompt_tokens" "Total Usage Prompt Tokens"; Tokens => Tokens, Derived, Usage 2000,
        [USAGE LARGER]; "sum of usage_prompt_tokens";
    TotalUsagePromptCacheReadTokens "total_usage_prompt_cache_read_tokens" "Total Usage Prompt Cache Read Tokens";
        Tokens => Tokens, Derived, Usage 2010,
        [USAGE LARGER]; "sum of usage_prompt_cache_read_tokens";
    OverallUsagePromptCacheReadPct "overall_usage_prompt_cache_read_pct" "Overall Usage Prompt Cache Read %";
        Percent => Percent, Derived, Usage 2012,
        [USAGE LARGER]; "total_usage_prompt_cache_read_tokens / total_usage_prompt_tokens * 100";
    TotalUsagePromptCacheWriteTokens "total_usage_prompt_cache_write_tokens" "Total Usage Prompt Cache Write Tokens";
        Tokens => Tokens, Derived, Usage 2015,
        [USAGE]; "sum of usage_prompt_cache_write_tokens";
    TotalUsagePromptCacheMissTokens "total_usage_prompt_cache_miss_tokens" "Total Usage Prompt Cache Miss Tokens";
        Tokens => Tokens, Derived, Usage 2017,
        [USAGE]; "sum of usage_prompt_cache_miss_tokens";
    TotalUsagePromptAudioTokens "total_usage_prompt_audio_tokens" "Total Usage Prompt Audio Tokens";
        Tokens => Tokens, Derived, Usage 2020,
        [USAGE AUDIO LARGER]; "sum of usage_prompt_audio_tokens";
    TotalUsageToolUsePromptTokens "total_usage_tool_use_prompt_tokens" "Total Usage Tool Use Prompt Tokens";
        Tokens => Tokens, Derived, Usage 2030,
        [USAGE]; "sum of usage_tool_use_prompt_tokens";
    TotalUsagePromptAudioSeconds "total_usage_prompt_audio_seconds" "Total Usage Prompt Audio Seconds";
        Seconds => Seconds, Derived, Usage 2040,
        [USAGE AUDIO LARGER]; "sum of usage_prompt_audio_seconds";
    TotalUsageCompletionTokens "total_usage_completion_tokens" "Total Usage Completion Tokens";
        Tokens => Tokens, Derived, Usage 2100,
        [USAGE TOKENS_OUT LARGER]; "sum of usage_completion_tokens";
    TotalUsageReasoningTokens "total_usage_reasoning_tokens" "Total Usage Reasoning Tokens";
        Tokens => Tokens, Derived, Usage 2110,
        [REASONING USAGE TOKENS_OUT LARGER]; "sum of usage_reasoning_tokens";
    TotalUsageCompletionAudioTokens "total_usage_completion_audio_tokens" "Total Usage Completion Audio Tokens";
        Tokens => Tokens, Derived, Usage 2120,
        [USAGE TOKENS_OUT AUDIO LARGER]; "sum of usage_completion_audio_tokens";
    TotalUsageAcceptedPredictionTokens "total_usage_accepted_prediction_tokens" "Total Usage Accepted Prediction Tokens";
        Tokens => Tokens, Derived, Usage 2130,
        [USAGE TOKENS_OUT LARGER]; "sum of usage_accepted_prediction_tokens";
    TotalUsageRejectedPredictionTokens "total_usage_rejected_prediction_tokens" "Total Usage Rejected Prediction Tokens";
        Tokens => Tokens, Derived, Usage 2140,
        [USAGE TOKENS_OUT]; "sum of usage_rejected_prediction_tokens";
    TotalUsageTotalTokens "total_usage_total_tokens" "Total Usage Total Tokens"; Tokens => Tokens, Derived, Usage 2200,
        [USAGE TOKENS_OUT LARGER]; "sum of usage_total_tokens";

    TotalSpecDecodeSteps "total_spec_decode_steps" "Total Spec Decode Steps"; Count => Count, Derived, FilesOnly 5140,
        [SPEC_DECODE]; "sum of spec_decode_steps";
    TotalAcceptedDraftTokens "total_accepted_draft_tokens" "Total Accepted Draft Tokens";
        Tokens => Tokens, Derived, FilesOnly 5150,
        [SPEC_DECODE]; "sum of spec_decode_accepted_draft_tokens";
    TotalDraftTokens "total_draft_tokens" "Total Draft Tokens"; Tokens => Tokens, Derived, FilesOnly 5160,
        [SPEC_DECODE]; "sum of spec_decode_draft_tokens";
    SpecDecodeTokenWeightedAcceptanceLength "spec_decode_token_weighted_acceptance_length" "Token-Weighted Acceptance Length";
        Ratio => Ratio, Derived, SpecDecode 5010,
        [SPEC_DECODE LARGER]; "1 + total_accepted_draft_tokens / total_spec_decode_steps";
    SpecDecodeOverallDraftAcceptanceRate "spec_decode_overall_draft_acceptance_rate" "Overall Draft Acceptance Rate";
        Percent => Percent, Derived, SpecDecode 5025,
        [SPEC_DECODE LARGER]; "total_accepted_draft_tokens / total_draft_tokens * 100";

    NvidiaTotalGpuPower "nvidia_total_gpu_power" "Total GPU Power"; Watts => Watts, Derived, NvidiaPower 740,
        [GPU]; "sum over GPUs of the mean power in the phase window";
    NvidiaTotalGpuEnergy "nvidia_total_gpu_energy" "Total GPU Energy"; Joules => Joules, Derived, NvidiaPower 730,
        [GPU]; "sum over GPUs of what the energy counter gained in the phase window, else of the integral of power; absent if the error may exceed 5 %";
    NvidiaAverageGpuPower "nvidia_average_gpu_power" "Average GPU Power"; Watts => Watts, Derived, NvidiaPower 720,
        [GPU]; "nvidia_total_gpu_energy / D";
    NvidiaIdleGpuPower "nvidia_idle_gpu_power" "Idle GPU Power"; Watts => Watts, Derived, NvidiaPower 741,
        [GPU]; "sum over GPUs of the mean power before the first request";
    NvidiaGpuEnergyAboveIdle "nvidia_gpu_energy_above_idle" "GPU Energy above Idle"; Joules => Joules, Derived, NvidiaPower 731,
        [GPU]; "nvidia_total_gpu_energy - nvidia_idle_gpu_power * D";
    NvidiaEnergyPerRequest "nvidia_energy_per_request" "Energy per Request";
        JoulesPerRequest => JoulesPerRequest, Derived, NvidiaPower 755,
        [GPU]; "nvidia_total_gpu_energy / request_count";
    NvidiaEnergyDelayProduct "nvidia_energy_delay_product" "Energy Delay Product";
        JouleSeconds => JouleSeconds, Derived, NvidiaPower 700,
        [GPU]; "nvidia_energy_per_request * mean of request_latency";
    NvidiaPerformancePerWatt "nvidia_performance_per_watt" "Performance per Watt";
        RequestsPerSecondPerWatt => RequestsPerSecondPerWatt, Derived, NvidiaPower 710,
        [GPU LARGER]; "request_throughput / nvidia_average_gpu_power";
    NvidiaOutputTpsPerWatt "nvidia_output_tps_per_watt" "Output Tokens per Second per Watt";
        TokensPerSecondPerWatt => TokensPerSecondPerWatt, Derived, NvidiaPower 712,
        [GPU TOKENS_OUT LARGER]; "output_token_throughput / nvidia_average_gpu_power";
    NvidiaGoodputPerWatt "nvidia_goodput_per_watt" "Goodput per Watt";
        GoodRequestsPerSecondPerWatt => GoodRequestsPerSecondPerWatt, Derived, NvidiaPower 714,
        [GPU GOODPUT LARGER]; "goodput / nvidia_average_gpu_power";
    NvidiaEnergyPerTotalToken "nvidia_energy_per_total_token" "Energy per Total Token";
        MillijoulesPerToken => MillijoulesPerToken, Derived, NvidiaPower 745,
        [GPU]; "nvidia_total_gpu_energy / (total_isl + total_osl)";
    NvidiaEnergyPerOutputToken "nvidia_energy_per_output_token" "Energy per Output Token";
        MillijoulesPerToken => MillijoulesPerToken, Derived, NvidiaPower 750,
        [GPU TOKENS_OUT]; "nvidia_total_gpu_energy / total_osl";
    NvidiaOutputTokensPerJoule "nvidia_output_tokens_per_joule" "Output Tokens per Joule";
        TokensPerJoule => TokensPerJoule, Derived, NvidiaPower 760,
        [GPU TOKENS_OUT LARGER]; "total_osl / nvidia_total_gpu_energy";
    NvidiaEnergyPerUser "nvidia_energy_per_user" "Energy per User"; JoulesPerUser => JoulesPerUser, Derived, NvidiaPower 765,
        [GPU]; "nvidia_total_gpu_energy / concurrency";

    AmdTotalGpuPower "amd_total_gpu_power" "Total GPU Power"; Watts => Watts, Derived, AmdPower 840,
        [GPU]; "sum over GPUs of the mean power in the phase window";
    AmdTotalGpuEnergy "amd_total_gpu_energy" "Total GPU Energy"; Joules => Joules, Derived, AmdPower 830,
        [GPU]; "sum over GPUs of what the energy counter gained in the phase window, else of the integral of power; absent if the error may exceed 5 %";
    AmdAverageGpuPower "amd_average_gpu_power" "Average GPU Power"; Watts => Watts, Derived, AmdPower 820,
        [GPU]; "amd_total_gpu_energy / D";
    AmdIdleGpuPower "amd_idle_gpu_power" "Idle GPU Power"; Watts => Watts, Derived, AmdPower 841,
        [GPU]; "sum over GPUs of the mean power before the first request";
    AmdGpuEnergyAboveIdle "amd_gpu_energy_above_idle" "GPU Energy above Idle"; Joules => Joules, Derived, AmdPower 831,
        [GPU]; "amd_total_gpu_energy - amd_idle_gpu_power * D";
    AmdEnergyPerRequest "amd_energy_per_request" "Energy per Request";
        JoulesPerRequest => JoulesPerRequest, Derived, AmdPower 855,
        [GPU]; "amd_total_gpu_energy / request_count";
    AmdEnergyDelayProduct "amd_energy_delay_product" "Energy Delay Product"; JouleSeconds => JouleSeconds, Derived, AmdPower 800,
        [GPU]; "amd_energy_per_request * mean of request_latency";
    AmdPerformancePerWatt "amd_performance_per_watt" "Performance per Watt";
        RequestsPerSecondPerWatt => RequestsPerSecondPerWatt, Derived, AmdPower 810,
        [GPU LARGER]; "request_throughput / amd_average_gpu_power";
    AmdOutputTpsPerWatt "amd_output_tps_per_watt" "Output Tokens per Second per Watt";
        TokensPerSecondPerWatt => TokensPerSecondPerWatt, Derived, AmdPower 812,
        [GPU TOKENS_OUT LARGER]; "output_token_throughput / amd_average_gpu_power";
    AmdGoodputPerWatt "amd_goodput_per_watt" "Goodput per Watt";
        GoodRequestsPerSecondPerWatt => GoodRequestsPerSecondPerWatt, Derived, AmdPower 814,
        [GPU GOODPUT LARGER]; "goodput / amd_average_gpu_power";
    AmdEnergyPerTotalToken "amd_energy_per_total_token" "Energy per Total Token";
        MillijoulesPerToken => MillijoulesPerToken, Derived, AmdPower 845,
        [GPU]; "amd_total_gpu_energy / (total_isl + total_osl)";
    AmdEnergyPerOutputToken "amd_energy_per_output_token" "Energy per Output Token";
        MillijoulesPerToken => MillijoulesPerToken, Derived, AmdPower 850,
        [GPU TOKENS_OUT]; "amd_total_gpu_energy / total_osl";
    AmdOutputTokensPerJoule "amd_output_tokens_per_joule" "Output Tokens per Joule";
        TokensPerJoule => TokensPerJoule, Derived, AmdPower 860,
        [GPU TOKENS_OUT LARGER]; "total_osl / amd_total_gpu_energy";
    AmdEnergyPerUser "amd_energy_per_user" "Energy per User"; JoulesPerUser => JoulesPerUser, Derived, AmdPower 865,
        [GPU]; "amd_total_gpu_energy / concurrency";

    CostPerMillionOutputTokens "cost_per_million_output_tokens" "Cost per Million Output Tokens";
        CostPerMillionTokens => CostPerMillionTokens, Derived, Main 920,
        [COST TOKENS_OUT]; "--cost-per-gpu-hour * GPUs / 3600 / output_token_throughput * 1e6";
    CostPerThousandRequests "cost_per_thousand_requests" "Cost per 1,000 Requests";
        CostPerThousandRequests => CostPerThousandRequests, Derived, Main 921,
        [COST]; "--cost-per-gpu-hour * GPUs / 3600 / request_throughput * 1000";

    NetworkRtt "network_rtt" "Network RTT"; Nanoseconds => Milliseconds, Network, Main 305,
        [NETWORK NO_RECORD]; "round trip of the network: as given, or the statistics of all measurements";
    NetworkAdjustedRequestLatency "network_adjusted_request_latency" "Network-Adjusted Request Latency";
        Nanoseconds => Milliseconds, Network, Main 301,
        [NETWORK NO_RECORD]; "max(request_latency - round trip, 0); round trip as given, or the median of all measurements";
    NetworkAdjustedTimeToFirstToken "network_adjusted_time_to_first_token" "Network-Adjusted Time to First Token";
        Nanoseconds => Milliseconds, Network, Main 101,
        [NETWORK STREAM TOKENS_OUT NO_RECORD]; "max(time_to_first_token - round trip, 0)";
    NetworkAdjustedTimeToFirstOutputToken "network_adjusted_time_to_first_output_token" "Network-Adjusted Time to First Output Token";
        Nanoseconds => Milliseconds, Network, Main 211,
        [NETWORK STREAM TOKENS_OUT NO_RECORD]; "max(time_to_first_output_token - round trip, 0)";

    AdjRequestLatency "adj_request_latency" "Request Latency (error-adjusted)";
        Nanoseconds => Milliseconds, ErrorAdjusted, Main last,
        [NO_RECORD]; "request_latency, with one infinite value for each failed request";
    AdjTimeToFirstToken "adj_time_to_first_token" "Time to First Token (error-adjusted)";
        Nanoseconds => Milliseconds, ErrorAdjusted, Main last,
        [STREAM TOKENS_OUT NO_RECORD]; "time_to_first_token, with one infinite value for each failed request";
    AdjInterTokenLatency "adj_inter_token_latency" "Inter Token Latency (error-adjusted)";
        Nanoseconds => Milliseconds, ErrorAdjusted, Main last,
        [STREAM TOKENS_OUT NO_RECORD]; "inter_token_latency, with one infinite value for each failed request";
    AdjDecodeDuration "adj_decode_duration" "Decode Duration (error-adjusted)";
        Nanoseconds => Milliseconds, ErrorAdjusted, Main last,
        [STREAM TOKENS_OUT NO_RECORD]; "decode_duration, with one infinite value for each failed request";

    EffectiveConcurrency "effective_concurrency" "Effective Concurrency"; Requests => Requests, TimeWeighted, Effective last,
        [NO_RECORD]; "requests between start and end, failed ones too";
    EffectiveDecodeThroughput "effective_decode_throughput" "Effective Decode Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "in each gap between chunks a request adds (OSL - 1) / number of gaps / gap";
    EffectivePrefillThroughput "effective_prefill_throughput" "Effective Prefill Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "until its first content a request adds ISL / TTFT";
    EffectiveDecodeConcurrency "effective_decode_concurrency" "Effective Decode Concurrency";
        Requests => Requests, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "requests between first content and end";
    EffectivePrefillConcurrency "effective_prefill_concurrency" "Effective Prefill Concurrency";
        Requests => Requests, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "requests between start and first content";
    EffectiveTotalThroughput "effective_total_throughput" "Effective Total Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "ISL / TTFT until first content, then (OSL - 1) / (end - first content)";
    EffectiveDecodeThroughputPerUser "effective_decode_throughput_per_user" "Effective Decode Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "effective_decode_throughput / effective_decode_concurrency, at each instant";
    EffectivePrefillThroughputPerUser "effective_prefill_throughput_per_user" "Effective Prefill Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, TimeWeighted, Effective last,
        [PHASES NO_RECORD]; "effective_prefill_throughput / effective_prefill_concurrency, at each instant";
    TokensInFlight "tokens_in_flight" "Tokens In Flight"; Tokens => Tokens, TimeWeighted, Effective last,
        [NO_RECORD]; "input tokens of requests in flight and the output tokens they have received";
    ActiveDecodeThroughput "active_decode_throughput" "Active Decode Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Active last,
        [PHASES NO_RECORD]; "effective_decode_throughput while a request decodes";
    ActivePrefillThroughput "active_prefill_throughput" "Active Prefill Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Active last,
        [PHASES NO_RECORD]; "effective_prefill_throughput while a request waits for its first content";
    ActiveDecodeThroughputPerUser "active_decode_throughput_per_user" "Active Decode Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, TimeWeighted, Active last,
        [PHASES NO_RECORD]; "effective_decode_throughput_per_user while a request decodes";
    ActivePrefillThroughputPerUser "active_prefill_throughput_per_user" "Active Prefill Throughput Per User";
        TokensPerSecondPerUser => TokensPerSecondPerUser, TimeWeighted, Active last,
        [PHASES NO_RECORD]; "effective_prefill_throughput_per_user while a request waits for its first content";
    ActiveTotalThroughput "active_total_throughput" "Active Total Throughput";
        TokensPerSecond => TokensPerSecond, TimeWeighted, Active last,
        [PHASES NO_RECORD]; "effective_total_throughput while a request is in flight";
    CreditToStartLatency "credit_to_start_latency" "Credit-to-Start Latency"; Nanoseconds => Milliseconds, Record, FilesOnly last,
        [ANY_OUTCOME NO_RECORD]; "start - permission to send";
    EffectiveLatency "effective_latency" "Effective Latency (CO-aware)"; Nanoseconds => Milliseconds, Record, Effective last,
        [NO_RECORD]; "end - permission to send, successful requests";
}
