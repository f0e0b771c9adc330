"""The tables of ``reviews.sqlite``. Only `watched` has rows that change: they grow by what was newly seen."""

from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, Text, UniqueConstraint

metadata = MetaData()
meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))
scores = Table(
    "scores", metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String, nullable=False, index=True), Column("revision", Integer, nullable=False),
    Column("reviewer", String, nullable=False, index=True), Column("dimension", String, nullable=False),
    Column("level", String, nullable=False), Column("at", String, nullable=False),
)  # fmt: skip
comments = Table(
    "comments", metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String, nullable=False, index=True), Column("revision", Integer, nullable=False),
    Column("reviewer", String, nullable=False, index=True), Column("text", Text, nullable=False),
    Column("at", String, nullable=False),
)  # fmt: skip
watched = Table(
    "watched", metadata,
    Column("reviewer", String, primary_key=True), Column("group_id", String, primary_key=True),
    Column("video_id", String, primary_key=True), Column("duration_s", Float, nullable=False),
    Column("spans", Text, nullable=False), Column("at", String, nullable=False),
)  # fmt: skip
edits = Table(
    "edits", metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String, nullable=False), Column("revision", Integer, nullable=False),
    Column("author", String, nullable=False), Column("at", String, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("item_id", "revision"),
)  # fmt: skip
assignments = Table(
    "assignments", metadata,
    Column("item_id", String, primary_key=True), Column("reviewer", String, primary_key=True),
    Column("role", String, nullable=False), Column("native", Boolean, nullable=False),
    Column("at", String, nullable=False),
)  # fmt: skip
openings = Table(
    "openings", metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String, nullable=False), Column("reviewer", String, nullable=False),
    Column("what", String, nullable=False), Column("at", String, nullable=False),
)  # fmt: skip
