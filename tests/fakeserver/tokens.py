"""Token counts of the fake server: a rule near byte-pair tokenizers, or a real tokenizer that LiteLLM carries.

The rule: a character of one byte costs 1/4.6 of a token, a wider one (ideographs above all) as many as it has bytes,
at 1.1 tokens for three. A chat message costs four. Cached prompt tokens are counted as vLLM does: in whole blocks of 16
tokens from the start of the prompt.
"""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from tests.fakeserver.request import ChatRequest

BLOCK = 16


class Counter(Protocol):
    """Counts the tokens of a text."""

    def __call__(self, text: str) -> int:
        """Tokens."""


def by_rule(text: str) -> int:
    """Tokens of a text by the stated rule."""
    narrow = len(text.encode("ascii", "ignore"))
    wide_bytes = len(text.encode("utf-8", "surrogatepass")) - narrow
    return round(narrow / 4.6 + 1.1 * wide_bytes / 3)


@lru_cache(maxsize=4)
def counter(name: str) -> Counter:
    """The counter of a policy's `tokenizer`."""
    if name == "rule":
        return by_rule
    encoding = _encoding(name)
    return lru_cache(maxsize=4096)(lambda text: len(encoding.encode(text, disallowed_special=())))


def _encoding(name: str) -> Any:
    import litellm
    import tiktoken

    folder = Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers"
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    return tiktoken.get_encoding(name)


def prompt_tokens(request: ChatRequest, count: Counter, image_tokens: int) -> int:
    """Tokens of a prompt: its words, its images at a flat price, and four a message."""
    words = sum(count(content) for kind, content in request.blocks if kind == "text")
    return words + image_tokens * request.image_count + 4 * len(request.messages)


class PrefixCache:
    """What a server with prefix caching has already computed, as a set of hash chains."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def chain(self, request: ChatRequest, count: Counter, image_tokens: int) -> list[tuple[bytes, int]]:
        """The prompt in pieces: (hash of everything up to here, tokens of this piece)."""
        state = hashlib.blake2b(request.model.encode(), digest_size=12)
        chain = []
        for kind, content in request.blocks:
            pieces = [content] if kind != "text" else [content[at : at + 128] for at in range(0, len(content), 128)]
            tokens = count(content) if kind == "text" else image_tokens
            share = tokens / max(1, len(pieces))
            for index, piece in enumerate(pieces):
                state.update(piece.encode())
                chain.append((state.digest(), round(share * (index + 1)) - round(share * index)))
        return chain

    def cached(self, chain: list[tuple[bytes, int]]) -> int:
        """Tokens at the start of the prompt that are already known, in whole blocks."""
        total = 0
        for name, tokens in chain:
            if name not in self._known:
                break
            total += tokens
        return total // BLOCK * BLOCK

    def add(self, chain: list[tuple[bytes, int]]) -> None:
        """Remember a prompt whose reply is finished."""
        self._known.update(name for name, _ in chain)
