#!/bin/sh
# A gate as continuous integration has them, with jq: from the files of one artifact folder.
set -eu
summary="$1/profile_export_aiperf.json"
records="$1/profile_export.jsonl"
jq -r '"schema \(.schema_version)", "complete \(.is_complete) \(.was_cancelled)", "errors \(.error_summary | length)"' "$summary"
jq -r '.time_to_first_token | "ttft \(.unit) \(.p99 >= .p50) \(.count)"' "$summary"
jq -r '"rate \(.request_throughput.unit) \(.request_throughput.avg > 0)"' "$summary"
jq -r '"count \(.request_count.avg)"' "$summary"
jq -e '.request_error_rate.avg < 50' "$summary" > /dev/null
jq -r 'to_entries | map(select(.value | type == "object" and has("unit") and has("p99"))) | map(.key) | map(select(startswith("http_"))) | sort | .[]' "$summary"
jq -s -r 'map(select(.metadata.benchmark_phase == "profiling")) | "records \(length)"' "$records"
jq -s -r '[.[] | select(.error == null) | .metrics.request_latency.value] | "fast \(map(select(. > 0)) | length)"' "$records"
jq -r '.ready, .was_cancelled, .partial' "$1/.aiperf_results_ready.json"
jq -r '.data | "inputs \(length) \(.[0].payloads[0] | keys | join(","))"' "$1/inputs.json"
jq -r '.phases[] | "\(.phase_name) \(.successful_request_count) \(.error_request_count)"' "$1/phase_manifest.json"
