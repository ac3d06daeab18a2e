#!/usr/bin/env python3
"""Make a tiny random vision-language model (Qwen2-VL architecture), offline.

Needs: torch, transformers, tokenizers.   python tiny_vlm.py OUT_DIR
Use it to prove that images sent by a client really decode on a server. Text output is random.
"""

import json
import os
import pydoc_data.topics
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
dump = lambda name, obj: json.dump(obj, open(f"{out}/{name}", "w"), indent=1)

special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
           "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]
tok = Tokenizer(models.BPE())
tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tok.decoder = decoders.ByteLevel()
tok.post_processor = processors.ByteLevel(trim_offsets=False)
lines = (line for text in pydoc_data.topics.topics.values() for line in text.splitlines())
tok.train_from_iterator(lines, trainers.BpeTrainer(
    vocab_size=4096, special_tokens=special, show_progress=False,
    initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
tok.save(f"{out}/tokenizer.json")
core = json.loads(tok.to_str())["model"]
dump("vocab.json", core["vocab"])
with open(f"{out}/merges.txt", "w") as f:
    f.write("#version: 0.2\n" + "\n".join(m if isinstance(m, str) else " ".join(m) for m in core["merges"]))
template = (
    "{%- for m in messages -%}<|im_start|>{{ m['role'] }}\n"
    "{%- if m['content'] is string -%}{{ m['content'] }}{%- else -%}{%- for p in m['content'] -%}"
    "{%- if p['type'] in ('image', 'image_url') -%}<|vision_start|><|image_pad|><|vision_end|>"
    "{%- elif p['type'] == 'video' -%}<|vision_start|><|video_pad|><|vision_end|>"
    "{%- elif p['type'] == 'text' -%}{{ p['text'] }}{%- endif -%}{%- endfor -%}{%- endif -%}<|im_end|>\n"
    "{%- endfor -%}{%- if add_generation_prompt -%}<|im_start|>assistant\n{%- endif -%}")
dump("tokenizer_config.json", {
    "tokenizer_class": "Qwen2Tokenizer", "model_max_length": 8192, "eos_token": "<|im_end|>",
    "pad_token": "<|endoftext|>", "bos_token": None, "chat_template": template,
    "additional_special_tokens": special[1:], "clean_up_tokenization_spaces": False})
dump("chat_template.json", {"chat_template": template})
open(f"{out}/chat_template.jinja", "w").write(template)
dump("preprocessor_config.json", {
    "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2VLProcessor",
    "min_pixels": 3136, "max_pixels": 200704, "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2,
    "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]})

tid = tok.token_to_id
torch.manual_seed(0)
cfg = Qwen2VLConfig(
    text_config=dict(
        vocab_size=tok.get_vocab_size(), hidden_size=256, intermediate_size=512, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=8192, rms_norm_eps=1e-5,
        tie_word_embeddings=False, bos_token_id=tid("<|endoftext|>"), eos_token_id=tid("<|im_end|>"),
        pad_token_id=tid("<|endoftext|>"),
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [8, 12, 12]}),
    vision_config=dict(depth=2, embed_dim=128, hidden_size=256, num_heads=4, mlp_ratio=2, in_channels=3,
                       patch_size=14, spatial_merge_size=2, temporal_patch_size=2),
    image_token_id=tid("<|image_pad|>"), video_token_id=tid("<|video_pad|>"),
    vision_start_token_id=tid("<|vision_start|>"), vision_end_token_id=tid("<|vision_end|>"),
    tie_word_embeddings=False)
model = Qwen2VLForConditionalGeneration(cfg)
with torch.no_grad():  # wide enough that the output is not one repeated token
    for p in model.parameters():
        p.normal_(0, 0.05) if p.dim() > 1 else None
model.generation_config.eos_token_id = tid("<|im_end|>")
model.generation_config.pad_token_id = tid("<|endoftext|>")
model.save_pretrained(out)
print(f"{out}: {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
