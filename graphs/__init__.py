"""LangGraph state machines and the command lines: wiring only. Everything may be imported here; nobody imports it."""

from records.shadow import refuse_foreign_modules

refuse_foreign_modules()
