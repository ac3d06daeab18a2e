#!/usr/bin/env python3
"""Make a tiny random Whisper model, offline, for /v1/audio/transcriptions tests.

Needs: torch, transformers, tokenizers.   python tiny_whisper.py OUT_DIR
Transcripts are random words; only their shape and timing mean anything.
"""

import json
import os
import pydoc_data.topics
import sys

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

out = sys.argv[1]
os.makedirs(out, exist_ok=True)

tok = Tokenizer(models.BPE())
tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tok.decoder = decoders.ByteLevel()
lines = (line for text in pydoc_data.topics.topics.values() for line in text.splitlines())
tok.train_from_iterator(lines, trainers.BpeTrainer(
    vocab_size=2048, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
tasks = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|translate|>", "<|transcribe|>",
         "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
tok.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in tasks])
tok.add_tokens([AddedToken(f"<|{i * 0.02:.2f}|>", normalized=False) for i in range(1501)])
tok.save(f"{out}/tokenizer.json")
tid = tok.token_to_id
core = json.loads(tok.to_str())["model"]
json.dump(core["vocab"], open(f"{out}/vocab.json", "w"))
with open(f"{out}/merges.txt", "w") as f:
    f.write("#version: 0.2\n" + "\n".join(m if isinstance(m, str) else " ".join(m) for m in core["merges"]))
json.dump({"tokenizer_class": "WhisperTokenizer", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
           "unk_token": "<|endoftext|>", "pad_token": "<|endoftext|>", "model_max_length": 448,
           "language": "en", "task": "transcribe"}, open(f"{out}/tokenizer_config.json", "w"))
json.dump({"processor_class": "WhisperProcessor", "feature_extractor_type": "WhisperFeatureExtractor"},
          open(f"{out}/processor_config.json", "w"))
WhisperFeatureExtractor(feature_size=80).save_pretrained(out)

torch.manual_seed(0)
end = tid("<|endoftext|>")
cfg = WhisperConfig(
    vocab_size=tok.get_vocab_size(), num_mel_bins=80, d_model=128, encoder_layers=2, decoder_layers=2,
    encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=256, decoder_ffn_dim=256,
    max_source_positions=1500, max_target_positions=448, pad_token_id=end, bos_token_id=end,
    eos_token_id=end, decoder_start_token_id=tid("<|startoftranscript|>"), init_std=0.5,
    suppress_tokens=None, begin_suppress_tokens=None)
model = WhisperForConditionalGeneration(cfg)
model.generation_config = GenerationConfig(
    bos_token_id=end, eos_token_id=end, pad_token_id=end, max_length=64, is_multilingual=True,
    decoder_start_token_id=tid("<|startoftranscript|>"), no_timestamps_token_id=tid("<|notimestamps|>"),
    prev_sot_token_id=tid("<|startofprev|>"), lang_to_id={"<|en|>": tid("<|en|>")},
    task_to_id={"transcribe": tid("<|transcribe|>"), "translate": tid("<|translate|>")},
    suppress_tokens=[], begin_suppress_tokens=[end], return_timestamps=False)
model.save_pretrained(out)
print(f"{out}: {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
