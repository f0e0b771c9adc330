"""What a benchmark release holds: policy, balance, evidence, datasheet, checks. Pure code; `graphs.release` runs it."""
