"""The tables of a run. Records are plain JSON, so that any SQLite browser can read them; traces are compressed.

``records`` keeps every revision (`current` marks the latest), ``calls`` one row a finished call with its trace,
``blobs`` long prompt texts once by hash, ``hits`` replies that came from the cache, ``sessions`` who wrote when.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = 1

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("started", String, nullable=False),
    Column("ended", String, nullable=False, default=""),
    Column("exit_code", Integer),
    Column("note", Text, nullable=False, default=""),
    Column("command", Text, nullable=False, default=""),
    Column("pid", Integer, nullable=False),
    Column("host", String, nullable=False),
    Column("manifest", Text, nullable=False),
)

records = Table(
    "records",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("set_name", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("key", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("type_id", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("written", String, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("kind", "set_name", "group_id", "key", "revision"),
    Index("records_by_key", "kind", "key", "set_name"),
)

calls = Table(
    "calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("request_id", String, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("session", Integer, nullable=False),
    Column("task", String, nullable=False),
    Column("model", String, nullable=False),
    Column("transport", String, nullable=False),
    Column("seat", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("unit", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("started", String, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("reasoning_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("images", Integer, nullable=False),
    Column("exchanges", Integer, nullable=False),
    Column("cost_usd", Float, nullable=False),
    Column("latency_s", Float, nullable=False),
    Column("body", LargeBinary, nullable=False),
    UniqueConstraint("request_id", "asked"),
    Index("calls_by_item", "item_id"),
)

hits = Table(
    "hits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session", Integer, nullable=False),
    Column("request_id", String, nullable=False),
    Column("task", String, nullable=False),
    Column("model", String, nullable=False),
    Column("seat", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("unit", String, nullable=False),
    Column("count", Integer, nullable=False),
    UniqueConstraint("session", "request_id", "task", "model", "seat", "group_id", "item_id", "unit"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)
