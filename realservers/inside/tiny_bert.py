#!/usr/bin/env python3
"""Make a tiny random BERT, offline, for embedding and reranking servers.

Needs: numpy, safetensors, tokenizers (and `gguf` for --gguf, which also writes OUT_DIR/tiny.gguf).

    python tiny_bert.py OUT_DIR --task embed     # BertModel + mean pooling (sentence-transformers layout)
    python tiny_bert.py OUT_DIR --task rerank    # BertForSequenceClassification, one label
"""

import argparse
import json
import os
import pydoc_data.topics

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("out")
p.add_argument("--task", choices=["embed", "rerank"], default="embed")
p.add_argument("--hidden", type=int, default=64)
p.add_argument("--layers", type=int, default=2)
p.add_argument("--heads", type=int, default=2)
p.add_argument("--vocab", type=int, default=4000)
p.add_argument("--positions", type=int, default=2048)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--gguf", action="store_true")
a = p.parse_args()
os.makedirs(os.path.join(a.out, "1_Pooling"), exist_ok=True)
write = lambda name, obj: json.dump(obj, open(os.path.join(a.out, name), "w"), indent=1)

special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
tok.normalizer = normalizers.BertNormalizer(lowercase=True)
tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tok.decoder = decoders.WordPiece()
lines = (line for text in pydoc_data.topics.topics.values() for line in text.splitlines())
tok.train_from_iterator(lines, trainers.WordPieceTrainer(
    vocab_size=a.vocab, special_tokens=special, show_progress=False))
cls, sep = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
tok.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
tok.save(os.path.join(a.out, "tokenizer.json"))
vocab = sorted(tok.get_vocab().items(), key=lambda kv: kv[1])
open(os.path.join(a.out, "vocab.txt"), "w").write("\n".join(t for t, _ in vocab) + "\n")

V, D, F, P = tok.get_vocab_size(), a.hidden, a.hidden * 4, a.positions
write("config.json", {
    "architectures": ["BertForSequenceClassification" if a.task == "rerank" else "BertModel"],
    "model_type": "bert", "vocab_size": V, "hidden_size": D, "num_hidden_layers": a.layers,
    "num_attention_heads": a.heads, "intermediate_size": F, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "max_position_embeddings": P,
    "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0, "torch_dtype": "float32",
    **({"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "num_labels": 1} if a.task == "rerank" else {}),
})
write("tokenizer_config.json", {
    "tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": P, "pad_token": "[PAD]",
    "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"})
write("special_tokens_map.json", {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]",
                                  "sep_token": "[SEP]", "mask_token": "[MASK]"})
if a.task == "embed":
    write("modules.json", [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])
    write("1_Pooling/config.json", {"word_embedding_dimension": D, "pooling_mode_mean_tokens": True})
    write("sentence_bert_config.json", {"max_seq_length": P, "do_lower_case": True})

rng = np.random.default_rng(a.seed)
w, pre = {}, "bert." if a.task == "rerank" else ""


def dense(name, rows, cols):
    w[f"{pre}{name}.weight"] = (rng.standard_normal((rows, cols)) / cols**0.5).astype(np.float32)
    w[f"{pre}{name}.bias"] = np.zeros(rows, np.float32)


def norm(name):
    w[f"{pre}{name}.weight"], w[f"{pre}{name}.bias"] = np.ones(D, np.float32), np.zeros(D, np.float32)


for name, rows in (("word", V), ("position", P), ("token_type", 2)):
    w[f"{pre}embeddings.{name}_embeddings.weight"] = rng.standard_normal((rows, D)).astype(np.float32)
norm("embeddings.LayerNorm")
for i in range(a.layers):
    base = f"encoder.layer.{i}."
    for part in ("query", "key", "value"):
        dense(f"{base}attention.self.{part}", D, D)
    dense(base + "attention.output.dense", D, D)
    norm(base + "attention.output.LayerNorm")
    dense(base + "intermediate.dense", F, D)
    dense(base + "output.dense", D, F)
    norm(base + "output.LayerNorm")
dense("pooler.dense", D, D)
if a.task == "rerank":
    pre = ""
    dense("classifier", 1, D)
save_file(w, os.path.join(a.out, "model.safetensors"), metadata={"format": "pt"})

if a.gguf:
    import gguf

    g = gguf.GGUFWriter(os.path.join(a.out, "tiny.gguf"), "bert")
    g.add_name("tiny-" + a.task)
    g.add_context_length(P)
    g.add_embedding_length(D)
    g.add_block_count(a.layers)
    g.add_feed_forward_length(F)
    g.add_head_count(a.heads)
    g.add_layer_norm_eps(1e-12)
    g.add_causal_attention(False)
    g.add_pooling_type(gguf.PoolingType.RANK if a.task == "rerank" else gguf.PoolingType.MEAN)
    g.add_vocab_size(V)
    g.add_file_type(gguf.LlamaFileType.ALL_F32)
    g.add_tokenizer_model("bert")
    g.add_tokenizer_pre("default")
    # word starts carry a marker instead of continuations carrying "##"
    mark = lambda t: t if t in special else t[2:] if t.startswith("##") else "\u2581" + t
    g.add_token_list([mark(t) for t, _ in vocab])
    g.add_token_types([gguf.TokenType.CONTROL if t in special else gguf.TokenType.NORMAL for t, _ in vocab])
    g.add_token_type_count(2)
    for name, t in (("pad", "[PAD]"), ("unk", "[UNK]"), ("sep", "[SEP]"), ("mask", "[MASK]"), ("bos", "[CLS]")):
        getattr(g, f"add_{name}_token_id")(tok.token_to_id(t))
    names = {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
             "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm"}
    for i in range(a.layers):
        src, dst = f"encoder.layer.{i}.", f"blk.{i}."
        for x, y in (("attention.self.query", "attn_q"), ("attention.self.key", "attn_k"),
                     ("attention.self.value", "attn_v"), ("attention.output.dense", "attn_output"),
                     ("attention.output.LayerNorm", "attn_output_norm"), ("intermediate.dense", "ffn_up"),
                     ("output.dense", "ffn_down"), ("output.LayerNorm", "layer_output_norm")):
            names[src + x] = dst + y
    if a.task == "rerank":
        names.update({"pooler.dense": "cls", "classifier": "cls.output"})
    for full, tensor in w.items():
        stem, kind = full.removeprefix("bert.").rsplit(".", 1)
        if stem in names:
            g.add_tensor(f"{names[stem]}.{kind}", tensor)
    g.write_header_to_file()
    g.write_kv_data_to_file()
    g.write_tensors_to_file()
    g.close()
print(f"{a.out}: {sum(m.size for m in w.values()) / 1e6:.2f} M parameters, vocabulary {V}")
