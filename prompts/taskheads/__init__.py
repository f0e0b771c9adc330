"""One Markdown file a question type, and the loader that reads them."""

from prompts.heads import TaskHead, load_taskheads, read_taskhead, taxonomy

__all__ = ["TaskHead", "load_taskheads", "read_taskhead", "taxonomy"]
