"""Replaces the packages that lighteval and deepeval import but that grading and prompts do not use, such as torch, by empty modules, so
that they need not be installed."""

import importlib.abc
import importlib.machinery
import sys
import types
from unittest.mock import MagicMock

UNUSED = {
    "torch", "transformers", "accelerate", "nltk", "rouge_score", "sacrebleu", "sklearn", "spacy", "typer", "termcolor", "pytablewriter",
    "colorlog", "git", "aenum", "xxhash", "evaluate", "inspect_ai", "langcodes", "bert_score", "pycountry", "litellm", "tiktoken",
    "posthog", "opentelemetry", "anthropic", "ollama", "google", "pytest", "nest_asyncio", "tabulate", "pyfiglet", "portalocker", "sentry_sdk",
    "openai",
}


class EmptyModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[0].isupper() else MagicMock(name=name)


class EmptyModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in UNUSED else None

    def create_module(self, spec):
        return EmptyModule(spec.name)

    def exec_module(self, module):
        pass


def install():
    # After the installed packages, so that an installed one is used.
    sys.meta_path.append(EmptyModules())
