"""The loads that many servers get. Lengths are short: counts are what is looked at, not speed."""

from models import EMBEDDER, RERANKER, THINKER, WORDS
from talk import Talk
from trial import Trial

LENGTHS = ("--isl", "64", "--osl", "32")
# <|bos|><|user|> ... <|end|><|assistant|>
TEMPLATE_TOKENS = 4
TEMPLATE_WHY = "the chat template adds 4 tokens to each prompt"
# [CLS] ... [SEP]
BERT_TOKENS = 2
PASSAGES = 3
QUERY_TOKENS = 16


def chat(model: str = "tiny", *more: str, name: str = "chat") -> Trial:
    flags = ("--endpoint-type", "chat", "--streaming", *LENGTHS, *more)
    return Trial(name, flags, model, WORDS, template_tokens=TEMPLATE_TOKENS, template_why=TEMPLATE_WHY)


def chat_whole(model: str = "tiny", *more: str) -> Trial:
    flags = ("--endpoint-type", "chat", *LENGTHS, *more)
    return Trial("chat, not streamed", flags, model, WORDS, template_tokens=TEMPLATE_TOKENS, template_why=TEMPLATE_WHY)


def completions(model: str = "tiny", *more: str) -> Trial:
    return Trial("completions", ("--endpoint-type", "completions", "--streaming", *LENGTHS, *more), model, WORDS)


def responses(model: str = "tiny", *more: str) -> Trial:
    flags = ("--endpoint-type", "responses", "--streaming", *LENGTHS, *more)
    return Trial("responses", flags, model, WORDS, template_tokens=TEMPLATE_TOKENS, template_why=TEMPLATE_WHY)


def messages(model: str = "tiny", *more: str) -> Trial:
    flags = ("--endpoint-type", "messages", "--streaming", *LENGTHS, *more)
    return Trial("messages", flags, model, WORDS, template_tokens=TEMPLATE_TOKENS, template_why=TEMPLATE_WHY)


def reasoning(model: str = "tiny-think", *more: str, to_the_end: str = "ignore_eos:true") -> Trial:
    """Both tags are counted and not shown; an answer that is cut lacks what comes after. Left to itself the model may
    think nothing and say nothing, which is no answer."""
    flags = ("--endpoint-type", "chat", "--streaming", "--isl", "64", "--osl", "64")
    flags += ("--extra-inputs", to_the_end, *more)
    return Trial(
        "chat, reasoning", flags, model, THINKER, template_tokens=TEMPLATE_TOKENS, template_why=TEMPLATE_WHY,
        unseen_tokens=(1, 2), unseen_why="1 or 2 tokens of each answer are tags around the reasoning, which its text does not show"
    )  # fmt: skip


def talk(model: str) -> Talk:
    """A talk sets no limit: that of the server must do."""
    return Talk("aiperf chat", model)


def embeddings(model: str = "embed", *more: str, **facts) -> Trial:
    flags = ("--endpoint-type", "embeddings", "--isl", "64", *more)
    return Trial(
        "embeddings", flags, model, EMBEDDER, template_tokens=BERT_TOKENS, usage_counts_output=False,
        template_why="[CLS] and [SEP] are added to each text", **facts
    )  # fmt: skip


def rerank(kind: str, model: str = "rerank", *more: str, pair_tokens: int = 3, **facts) -> Trial:
    """Each passage is read together with the query: [CLS] query [SEP] passage [SEP]."""
    lengths = ("--rankings-passages-mean", str(PASSAGES), "--rankings-query-prompt-token-mean", str(QUERY_TOKENS))
    lengths += ("--rankings-passages-prompt-token-mean", "24")
    # Texts are made to have the length asked for with [CLS] and [SEP] around them.
    query = QUERY_TOKENS - BERT_TOKENS
    added = PASSAGES * (query + pair_tokens) - query
    flags = ("--endpoint-type", kind, *lengths, *more)
    return Trial(
        kind, flags, model, RERANKER, template_tokens=added, usage_counts_output=False,
        template_why="the query is read again with each passage", **facts
    )  # fmt: skip
