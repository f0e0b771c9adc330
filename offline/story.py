"""A group's material with what is looked up again and again: its names, and who speaks of them."""

import re
from collections import Counter
from functools import lru_cache

from media.quantities import Quantity, numbers
from media.text import names
from offline.reading import Material
from records.media import Tag


@lru_cache(maxsize=16384)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """All quantities of a sentence; see `media.quantities.numbers`."""
    return numbers(text)


class Story:
    """The sources of a group side by side."""

    def __init__(self, material: Material) -> None:
        self.material = material
        joint = "" if material.language == "zh" else " "
        texts = {tag: joint.join(one.text for one in group) for tag, group in material.sentences.items()}
        self._names = {tag: _names(text, material.language) for tag, text in texts.items()}
        self._holders = Counter(name for found in self._names.values() for name in found)
        self._openers = {name.split()[0] for found in self._names.values() for name in found}

    def text(self, tag: Tag, index: int) -> str:
        """A sentence of a source, trimmed."""
        return self.material.sentences[tag][index].text.strip()

    def names(self, tag: Tag) -> frozenset[str]:
        """The names that a source speaks."""
        return self._names[tag]

    def names_in(self, clause: str) -> tuple[str, ...]:
        """The names of a clause in their order, of more than one letter and without numbers."""
        found = names(clause, self.material.language)
        return tuple(name for name in found if len(name) > 1 and not re.search(r"\d", name))

    def is_common(self, name: str) -> bool:
        """Whether more than half of the sources speak a name, so that it tells nothing apart."""
        return self._holders[name] > len(self._names) / 2

    def opens_with_name(self, clause: str) -> bool:
        """Whether the first word of a clause is that of a name somewhere in the group."""
        first = re.match(r"[A-Za-z'’-]+", clause)
        return first is not None and re.sub(r"['’]s$", "", first.group()) in self._openers


@lru_cache(maxsize=256)
def _names(text: str, language: str) -> frozenset[str]:
    return frozenset(names(text, language))
