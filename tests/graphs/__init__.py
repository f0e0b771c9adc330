"""Tests of the command lines and state machines."""
