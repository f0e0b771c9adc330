"""The run folder: what is written, resumed, queried and exported. Knows records only."""
