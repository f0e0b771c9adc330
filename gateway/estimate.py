"""Tokens and cost of a request before it is sent, for forecasts, budgets and limits.

Counts by script, as byte-pair tokenizers do on average; images at the model's stated `image_tokens`.
"""
