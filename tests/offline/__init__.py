"""Tests of the embedded models."""
