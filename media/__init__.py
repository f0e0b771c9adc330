"""What is on disk becomes records: captions, videos, frames, words. Makes no model call."""
