"""A fake OpenAI-compatible server for tests: schema-driven answers, faults on demand."""
