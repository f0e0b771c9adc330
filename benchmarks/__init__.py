"""Measurements that are run by hand; not in the wheel."""
