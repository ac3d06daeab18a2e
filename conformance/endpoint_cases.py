"""Cases about endpoint types: every one that the reference has, streamed and in one piece, with data that both generate."""

import json

import at_server as server
from case import LENGTHS, SPEED, Case

SIM = {**SPEED, "ttft": "20", "itl": "5", "truth_body": "true"}
FEW = ("--concurrency", "2", "--request-count", "8")
SESSIONS = ("--concurrency", "2", "--num-sessions", "4", "--session-turns-mean", "3", "--session-turns-stddev", "0")
IMAGES = ("--image-width-mean", "16", "--image-height-mean", "16", "--image-format", "png", "--image-batch-size", "2")
IMAGE = (*IMAGES[:-1], "1")
AUDIO = ("--audio-length-mean", "0.2", "--audio-sample-rates", "8")
VIDEO = ("--video-width", "32", "--video-height", "32", "--video-duration", "1", "--video-fps", "2")
RANKED = ("--rankings-passages-mean", "4", "--rankings-passages-prompt-token-mean", "16", "--rankings-query-prompt-token-mean", "8")
BODIES = [
    {
        "model": "authored",
        "messages": [{"role": "user", "content": f"Question {number}: what is wire format?"}],
        "max_tokens": 8,
        "stream": False,
        "zz": {"b": 1, "a": number},
    }
    for number in range(4)
]
TEMPLATE = json.dumps(
    {
        "payload_template": '{"model": {{ model|tojson }}, "prompt": {{ text|tojson }}, "max_tokens": {{ max_tokens }}, "stream": {{ stream|tojson }}}',
        "response_field": "choices[0].text",
    }
)


def _case(name: str, title: str, *flags: str, sim: dict[str, str] | None = None, **more) -> Case:
    # Eight requests say little of how well times are taken; the cases above say it of each way of reading.
    return Case(f"api-{name}", title, flags, {**SIM, **(sim or {})}, at_server=(server.wire,), timed=False, **more)


def _dialect(kind: str) -> tuple[Case, ...]:
    """An API of messages, in all that it can do."""
    of = ("--endpoint-type", kind, *LENGTHS)
    thinking, calling = {"reasoning": "6"}, {"tools": "always"}
    return (
        _case(kind, f"{kind}, streamed", *of, "--streaming", *FEW),
        _case(f"{kind}-whole", f"{kind} in one piece", *of, *FEW),
        _case(f"{kind}-reasoning", f"{kind}, streamed, 6 of 16 tokens are reasoning", *of, "--streaming", *FEW, sim=thinking),
        _case(f"{kind}-reasoning-whole", f"{kind} in one piece, 6 of 16 tokens are reasoning", *of, *FEW, sim=thinking),
        _case(f"{kind}-tools", f"{kind}, streamed, answers are tool calls", *of, "--streaming", *FEW, sim=calling),
        _case(f"{kind}-tools-whole", f"{kind} in one piece, answers are tool calls", *of, *FEW, sim=calling),
        _case(f"{kind}-turns", f"{kind}, sessions of three turns", *of, "--streaming", *SESSIONS),
        _case(f"{kind}-images", f"{kind} with images", *of, *IMAGES, *FEW, exact_counts=False),
        _case(f"{kind}-server-count", f"{kind}, token counts of the server", *of, "--streaming", "--use-server-token-count", *FEW),
    )


def _generated(name: str, title: str, kind: str, *flags: str, **more) -> Case:
    return _case(name, title, "--endpoint-type", kind, *flags, *FEW, **more)


ENDPOINT_CASES = (
    *_dialect("responses"),
    *_dialect("messages"),
    _generated("chat-images", "chat with images", "chat", *LENGTHS, *IMAGES, "--streaming", exact_counts=False),
    _generated("chat-audio", "chat with audio", "chat", *LENGTHS, *AUDIO, "--streaming", exact_counts=False),
    _generated("chat-video", "chat with video", "chat", *LENGTHS, *VIDEO, "--streaming", exact_counts=False),
    _generated("chat-tools-whole", "chat in one piece, answers are tool calls", "chat", *LENGTHS, sim={"tools": "always"}),
    _generated("responses-audio", "responses with audio", "responses", *LENGTHS, *AUDIO, exact_counts=False),
    _generated("embeddings-batch", "embeddings, three texts in a request", "embeddings", "--isl", "16", "--prompt-batch-size", "3", exact_counts=False),
    _generated("chat-embeddings", "embeddings of messages", "chat_embeddings", "--isl", "16"),
    _generated("chat-embeddings-images", "embeddings of messages with images", "chat_embeddings", "--isl", "16", *IMAGE, exact_counts=False),
    _generated("nim-embeddings", "NIM embeddings", "nim_embeddings", "--isl", "16", "--extra-inputs", "input_type:query"),
    _generated("nim-embeddings-images", "NIM embeddings of texts with images", "nim_embeddings", "--isl", "16", *IMAGE, exact_counts=False),
    _generated("cohere-rankings", "Cohere rankings", "cohere_rankings", *RANKED, exact_counts=False),
    _generated("hf-tei-rankings", "TEI rankings", "hf_tei_rankings", *RANKED, exact_counts=False),
    _generated("nim-rankings", "NIM rankings", "nim_rankings", *RANKED, exact_counts=False),
    _generated("hf-generate", "text generation inference in one piece", "huggingface_generate", *LENGTHS),
    _generated("hf-generate-stream", "text generation inference, streamed", "huggingface_generate", *LENGTHS, "--streaming"),
    _generated("image-generation", "images made of text", "image_generation", "--isl", "16"),
    _generated("image-generation-stream", "images made of text, streamed", "image_generation", "--isl", "16", "--streaming", "--extra-inputs", "partial_images:2"),
    _generated("image-edit", "images made of images", "image_edit", "--isl", "16", *IMAGE, exact_counts=False),
    _generated("video-generation", "videos made of text", "video_generation", "--isl", "16"),
    _generated("video-download", "videos made of text, and fetched", "video_generation", "--isl", "16", "--download-video-content"),
    _generated("image-retrieval", "objects found in images", "image_retrieval", *IMAGES, text=False),
    _generated("audio-transcription", "speech written down", "audio_transcription", *AUDIO, text=False),
    _generated("solido-rag", "Solido RAG in one piece", "solido_rag", "--isl", "16", exact_counts=False),
    _generated("solido-rag-stream", "Solido RAG, streamed", "solido_rag", "--isl", "16", "--streaming", exact_counts=False),
    _case(
        "raw",
        "ready-made bodies",
        "--endpoint-type", "raw", "--custom-endpoint", "/v1/chat/completions",
        "--input-file", "bodies.jsonl", "--custom-dataset-type", "raw_payload", "--concurrency", "1", "--request-count", "4",
        files={"bodies.jsonl": BODIES},
    ),
    _generated("template", "bodies of a template, read by JMESPath", "template", *LENGTHS, "--custom-endpoint", "/v1/completions", "--extra-inputs", TEMPLATE),
    _generated("template-stream", "bodies of a template, streamed", "template", *LENGTHS, "--streaming", "--custom-endpoint", "/v1/completions", "--extra-inputs", TEMPLATE),
)  # fmt: skip
