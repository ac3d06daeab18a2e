#!/usr/bin/env python3
"""Make a tiny language model, offline, for testing a benchmark client against real servers.

Needs: numpy, safetensors, tokenizers (and `gguf` for --gguf). No torch, no downloads.

    python tiny_llama.py OUT_DIR [--gguf] [--reasoning] [--eos-prob P] [--seed N] ...

Writes a Hugging Face folder (LlamaForCausalLM, byte-level BPE tokenizer, chat template) and,
with --gguf, OUT_DIR/tiny.gguf holding the same weights and tokenizer.

The weights are random, except for three hidden dimensions that are reserved so the output is
predictable in shape:
  * only "space + lowercase word" tokens that re-encode to themselves are ever sampled, so
    re-tokenizing the streamed text on the client gives exactly the server's token count;
  * the end-of-sequence token has a chosen probability per step (default 0: every answer runs
    to its max_tokens);
  * with --reasoning the model opens <think>, emits thinking words, closes with </think> with
    probability --think-close-prob per step, and then only answer words (disjoint word sets).
"""

import argparse
import json
import math
import os
import pydoc_data.topics

import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

BOS, EOS, PAD = "<|bos|>", "<|eos|>", "<|pad|>"
SYSTEM, USER, ASSISTANT, END = "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"
THINK, UNTHINK = "<think>", "</think>"
SPECIALS = [BOS, EOS, PAD, SYSTEM, USER, ASSISTANT, END]

CHAT_TEMPLATE = (
    "<|bos|>"
    "{%- for m in messages -%}"
    "{{ '<|' + m['role'] + '|>' }}"
    "{%- if m['content'] is string -%}{{ m['content'] }}"
    "{%- else -%}{%- for p in m['content'] -%}{%- if p['type'] == 'text' -%}{{ p['text'] }}"
    "{%- endif -%}{%- endfor -%}{%- endif -%}"
    "{{ '<|end|>' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|assistant|>' }}{%- endif -%}"
)
# Same, but renders reasoning_content between the thinking tags, which is how servers that
# inspect the template (llama.cpp) find out that, and where, the model thinks.
REASONING_TEMPLATE = CHAT_TEMPLATE.replace(
    "{{ '<|' + m['role'] + '|>' }}",
    "{{ '<|' + m['role'] + '|>' }}"
    "{%- if m['role'] == 'assistant' and m['reasoning_content'] -%}"
    "{{ '<think>' + m['reasoning_content'] + '</think>' }}"
    "{%- endif -%}",
)


def corpus(path):
    if path:
        with open(path, encoding="utf-8") as f:
            yield from f
    else:  # plain English that ships with every Python
        for text in pydoc_data.topics.topics.values():
            yield from text.splitlines()


def train_tokenizer(vocab_size, path, reasoning):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tok.decoder = decoders.ByteLevel()
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size - (2 if reasoning else 0),
        special_tokens=SPECIALS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tok.train_from_iterator(corpus(path), trainer)
    if reasoning:  # not "special": their text must survive skip_special_tokens
        tok.add_tokens([AddedToken(THINK, normalized=False), AddedToken(UNTHINK, normalized=False)])
    return tok


def usable_words(tok):
    out = []
    for i in range(tok.get_vocab_size()):
        piece = tok.id_to_token(i)
        if not piece or not piece.startswith("\u0120"):
            continue
        word = piece[1:]
        if len(word) >= 2 and word.isascii() and word.isalpha() and word.islower():
            if tok.encode(" " + word, add_special_tokens=False).ids == [i]:
                out.append(i)
    return out


def run_layers(a, w, x):
    """Final hidden states of one causal sequence (rotary left out: it does not change scale)."""
    H, KV, HD, T = a.heads, a.kv_heads, a.hidden // a.heads, len(x)
    norm = lambda v: v / np.sqrt((v * v).mean(axis=1, keepdims=True) + 1e-5)
    mask = np.triu(np.full((T, T), -1e9, np.float32), 1)
    for i in range(a.layers):
        m = lambda n: w[f"model.layers.{i}.{n}.weight"]
        h = norm(x)
        q = (h @ m("self_attn.q_proj").T).reshape(T, H, HD)
        k = (h @ m("self_attn.k_proj").T).reshape(T, KV, HD).repeat(H // KV, axis=1)
        v = (h @ m("self_attn.v_proj").T).reshape(T, KV, HD).repeat(H // KV, axis=1)
        s = np.einsum("thd,shd->hts", q, k) / math.sqrt(HD) + mask
        s = np.exp(s - s.max(axis=2, keepdims=True))
        s /= s.sum(axis=2, keepdims=True)
        x = x + np.einsum("hts,shd->thd", s, v).reshape(T, H * HD) @ m("self_attn.o_proj").T
        h = norm(x)
        g = h @ m("mlp.gate_proj").T
        x = x + (g / (1 + np.exp(-g)) * (h @ m("mlp.up_proj").T)) @ m("mlp.down_proj").T
    return norm(x)


def build_weights(a, tok, rng):
    V, D, F, L = tok.get_vocab_size(), a.hidden, a.intermediate, a.layers
    H, KV, HD = a.heads, a.kv_heads, a.hidden // a.heads
    f32 = np.float32

    def mat(rows, cols, gain=1.0):
        return (rng.standard_normal((rows, cols)) * gain / math.sqrt(cols)).astype(f32)

    w = {}
    emb = rng.standard_normal((V, D)).astype(f32)
    R = 3  # reserved: 0 = constant, 1 = thinking(+)/answering(-), 2 = "answer starts here"
    emb[:, :R] = 0
    C = 4.0
    emb[:, 0] = C

    for i in range(L):
        p = f"model.layers.{i}."
        w[p + "input_layernorm.weight"] = np.ones(D, f32)
        w[p + "post_attention_layernorm.weight"] = np.ones(D, f32)
        w[p + "self_attn.q_proj.weight"] = mat(H * HD, D)
        w[p + "self_attn.k_proj.weight"] = mat(KV * HD, D)
        w[p + "self_attn.v_proj.weight"] = mat(KV * HD, D)
        w[p + "self_attn.o_proj.weight"] = mat(D, H * HD, 0.5)
        w[p + "mlp.gate_proj.weight"] = mat(F, D)
        w[p + "mlp.up_proj.weight"] = mat(F, D)
        w[p + "mlp.down_proj.weight"] = mat(D, F, 0.5)
        for n in ("self_attn.o_proj.weight", "mlp.down_proj.weight"):
            w[p + n][:R, :] = 0  # layers never touch the reserved dimensions

    sigma = a.logit_std / math.sqrt(D - R)
    head = np.zeros((V, D), f32)
    head[:, R:] = rng.standard_normal((V, D - R)).astype(f32) * sigma
    head[:, 0] = -12.0  # nothing may be sampled ...
    words = usable_words(tok)
    assert len(words) >= 64, "vocabulary too small"
    head[words, 0] = 0.0  # ... except words

    def prob_to_bias(p, ids):
        """Weight on dimension 0 that gives a token probability p against the words `ids`."""
        if p <= 0:
            return -12.0
        h = np.concatenate([run_layers(a, w, emb[rng.choice(ids, 64)]) for _ in range(8)])
        lse = np.log(np.exp(h[:, R:] @ head[ids, R:].T).sum(axis=1))
        low, high = -12.0, 12.0
        for _ in range(50):  # mean probability over contexts is monotonic in the weight
            mid = (low + high) / 2
            mean = (1 / (1 + np.exp(lse - mid * h[:, 0]))).mean()
            low, high = (mid, high) if mean < p else (low, mid)
        return mid

    ident = {t: tok.token_to_id(t) for t in SPECIALS}
    head[ident[EOS], R:] = 0
    if a.reasoning:
        think, answer = words[0::2], words[1::2]
        t_open, t_close = tok.token_to_id(THINK), tok.token_to_id(UNTHINK)
        for ids, sign in ((think, 1.0), (answer, -1.0)):
            emb[ids, 1] = sign * C
            head[ids, 1] = sign * 5.0
        emb[t_open, 1], emb[t_close, 1] = C, -C
        emb[ident[ASSISTANT], 2] = C
        head[t_open, :], head[t_close, :] = 0, 0
        head[t_open, 0], head[t_open, 2] = -6.0, 16.0
        head[t_close, 0], head[t_close, 1] = prob_to_bias(a.think_close_prob, think), 5.0
        head[ident[EOS], 0], head[ident[EOS], 1] = prob_to_bias(a.eos_prob, answer), -5.0
    else:
        head[ident[EOS], 0] = prob_to_bias(a.eos_prob, words)

    w["model.embed_tokens.weight"] = emb
    w["lm_head.weight"] = head
    w["model.norm.weight"] = np.ones(D, f32)
    return w, words


def write_hf(a, tok, w):
    os.makedirs(a.out, exist_ok=True)
    tid = tok.token_to_id
    template = REASONING_TEMPLATE if a.reasoning else CHAT_TEMPLATE
    dump = lambda name, obj: json.dump(obj, open(os.path.join(a.out, name), "w"), indent=1)
    tok.save(os.path.join(a.out, "tokenizer.json"))
    dump("config.json", {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "vocab_size": tok.get_vocab_size(), "hidden_size": a.hidden,
        "intermediate_size": a.intermediate, "num_hidden_layers": a.layers,
        "num_attention_heads": a.heads, "num_key_value_heads": a.kv_heads,
        "head_dim": a.hidden // a.heads, "max_position_embeddings": a.context,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "rope_scaling": None,
        "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False,
        "bos_token_id": tid(BOS), "eos_token_id": tid(EOS), "pad_token_id": tid(PAD),
        "torch_dtype": "float32", "initializer_range": 0.02, "use_cache": True,
    })
    dump("generation_config.json", {
        "bos_token_id": tid(BOS), "eos_token_id": tid(EOS), "pad_token_id": tid(PAD),
        "do_sample": True, "temperature": 1.0,
    })
    dump("tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": a.context,
        "bos_token": BOS, "eos_token": EOS, "pad_token": PAD,
        "clean_up_tokenization_spaces": False, "chat_template": template,
    })
    dump("special_tokens_map.json", {"bos_token": BOS, "eos_token": EOS, "pad_token": PAD})
    open(os.path.join(a.out, "chat_template.jinja"), "w").write(template)
    save_file(w, os.path.join(a.out, "model.safetensors"), metadata={"format": "pt"})


def write_gguf(a, tok, w):
    import gguf

    H, KV = a.heads, a.kv_heads
    g = gguf.GGUFWriter(os.path.join(a.out, "tiny.gguf"), "llama")
    g.add_name("tiny")
    g.add_context_length(a.context)
    g.add_embedding_length(a.hidden)
    g.add_block_count(a.layers)
    g.add_feed_forward_length(a.intermediate)
    g.add_head_count(H)
    g.add_head_count_kv(KV)
    g.add_layer_norm_rms_eps(1e-5)
    g.add_rope_dimension_count(a.hidden // H)
    g.add_rope_freq_base(10000.0)
    g.add_vocab_size(tok.get_vocab_size())
    g.add_file_type(gguf.LlamaFileType.ALL_F32)

    g.add_tokenizer_model("gpt2")
    g.add_tokenizer_pre("gpt-2")
    g.add_token_list([tok.id_to_token(i) for i in range(tok.get_vocab_size())])
    kinds = []
    for i in range(tok.get_vocab_size()):
        t = tok.id_to_token(i)
        kinds.append(gguf.TokenType.CONTROL if t in SPECIALS else
                     gguf.TokenType.USER_DEFINED if t in (THINK, UNTHINK) else gguf.TokenType.NORMAL)
    g.add_token_types(kinds)
    merges = json.loads(tok.to_str())["model"]["merges"]
    g.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    g.add_bos_token_id(tok.token_to_id(BOS))
    g.add_eos_token_id(tok.token_to_id(EOS))
    g.add_pad_token_id(tok.token_to_id(PAD))
    g.add_add_bos_token(False)
    g.add_chat_template(REASONING_TEMPLATE if a.reasoning else CHAT_TEMPLATE)

    def interleave(m, heads):  # rotary halves -> interleaved pairs, the order GGUF llama wants
        rows, cols = m.shape
        return m.reshape(heads, 2, rows // heads // 2, cols).swapaxes(1, 2).reshape(rows, cols)

    g.add_tensor("token_embd.weight", w["model.embed_tokens.weight"])
    g.add_tensor("output_norm.weight", w["model.norm.weight"])
    g.add_tensor("output.weight", w["lm_head.weight"])
    names = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
             "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
             "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj",
             "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    for i in range(a.layers):
        for dst, src in names.items():
            m = w[f"model.layers.{i}.{src}.weight"]
            if dst in ("attn_q", "attn_k"):
                m = np.ascontiguousarray(interleave(m, H if dst == "attn_q" else KV))
            g.add_tensor(f"blk.{i}.{dst}.weight", m)
    g.write_header_to_file()
    g.write_kv_data_to_file()
    g.write_tensors_to_file()
    g.close()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--gguf", action="store_true", help="also write OUT/tiny.gguf")
    p.add_argument("--reasoning", action="store_true")
    p.add_argument("--think-close-prob", type=float, default=1 / 16)
    p.add_argument("--eos-prob", type=float, default=0.0, help="chance of stopping per step")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--corpus", help="text file to train the tokenizer on")
    p.add_argument("--vocab", type=int, default=4096)
    p.add_argument("--hidden", type=int, default=256)
    p.add_argument("--intermediate", type=int, default=512)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--kv-heads", type=int, default=2)
    p.add_argument("--context", type=int, default=16384)
    p.add_argument("--logit-std", type=float, default=2.0)
    a = p.parse_args()
    tok = train_tokenizer(a.vocab, a.corpus, a.reasoning)
    w, words = build_weights(a, tok, np.random.default_rng(a.seed))
    write_hf(a, tok, w)
    if a.gguf:
        write_gguf(a, tok, w)
    n = sum(m.size for m in w.values())
    print(f"{a.out}: {n / 1e6:.2f} M parameters, vocabulary {tok.get_vocab_size()}, {len(words)} sampleable words")


if __name__ == "__main__":
    main()
