"""Importing the package stays cheap: what is heavy is loaded when a file is read, not before."""

import subprocess
import sys
from pathlib import Path

HEAVY = (
    "av", "cv2", "numpy", "jieba", "scenedetect", "imagehash", "PIL", "pysubs2", "cn2an", "charset_normalizer",
    "usearch", "mwxml", "pypinyin",
)  # fmt: skip


def test_no_heavy_library_is_loaded_by_importing() -> None:
    modules = "media.groups, media.frames, media.framestore, media.evidence, media.masking, media.summaries, media.text"
    modules += ", media.segments, media.objects, media.refinement, media.wikipedia"
    code = f"import sys, {modules}; print(*sorted(set(sys.modules) & set({HEAVY!r})))"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
