"""The one road to a model: limits, cache, budget, ledger and traces around every call."""
