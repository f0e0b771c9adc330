"""Plain text facts that several folders need alike: normal form, script, language, length.

Covers Latin and CJK scripts. Sentence splitting and tokenizing live in `media.text`.
"""

import re
import unicodedata

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SPACES = re.compile(r"\s+")


def normalized(text: str) -> str:
    """NFKC, case-folded, white space collapsed: two texts that a reader takes for the same become equal."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def cjk_share(text: str) -> float:
    """Share (0.0 to 1.0) of the letters that are CJK ideographs; 0.0 for text without letters."""
    letters = [char for char in text if char.isalpha()]
    return sum(bool(CJK.match(char)) for char in letters) / len(letters) if letters else 0.0


def language_of(text: str) -> str:
    """``"zh"`` where at least a quarter of the letters are CJK ideographs, otherwise ``"en"``."""
    return "zh" if cjk_share(text) >= 0.25 else "en"


def primary_language(tag: str) -> str:
    """The primary subtag of a language tag, lower case: ``zh-Hans`` gives ``zh``, ``en-orig`` gives ``en``."""
    return tag.replace("_", "-").split("-")[0].lower()
