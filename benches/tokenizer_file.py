"""A `tokenizer.json` that is made on the spot, of the kind that Llama 3 has: byte-level BPE with 128,000 entries. Its merges
are not trained: they spell frequent words letter by letter, which gives texts about as many tokens as a trained vocabulary does."""

import collections
import itertools
import json
import re
import sys
import sysconfig
from pathlib import Path

ENTRIES = 128_000
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Which words are frequent is taken from Python's own library, which is on every machine that runs this.
WORD = re.compile(r" ?[A-Za-z]+")
MOST_FILES = 600
LEAST_WORDS = 1_000


def write(path: Path) -> Path:
    letters = _byte_letters()
    vocabulary = {letter: number for number, letter in enumerate(letters.values())}
    merges = []

    def add(left: str, right: str) -> None:
        if len(vocabulary) < ENTRIES and left + right not in vocabulary:
            merges.append([left, right])
            vocabulary[left + right] = len(vocabulary)

    words = ["".join(letters[byte] for byte in word.encode()) for word in _frequent_words()]
    for word in words:
        for end in range(1, len(word)):
            add(word[:end], word[end])
    # Where there are too few words, compounds make up the number.
    known = [word for word in words if word in vocabulary]
    for left, right in itertools.product(known, (word for word in known if not word.startswith(letters[ord(" ")]))):
        if len(vocabulary) == ENTRIES:
            break
        add(left, right)
    split = {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(len(vocabulary), "<|end_of_text|>")],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": True, "vocab": vocabulary, "merges": merges,
        },
    }  # fmt: skip
    path.write_text(json.dumps(document, ensure_ascii=False))
    return path


def _special(number: int, content: str) -> dict:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": number, "content": content, **flags}


def _frequent_words() -> list[str]:
    counts: collections.Counter[str] = collections.Counter()
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py"))[:MOST_FILES]:
        counts.update(WORD.findall(path.read_text(errors="replace")))
    if len(counts) < LEAST_WORDS:
        sys.exit(f"too few words in {library} to make a tokenizer of them")
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _byte_letters() -> dict[int, str]:
    """The letter that stands for each byte in byte-level vocabularies: itself if it can be seen, otherwise one from 256 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in visible}
    for number, byte in enumerate(byte for byte in range(256) if byte not in letters):
        letters[byte] = chr(256 + number)
    return letters
