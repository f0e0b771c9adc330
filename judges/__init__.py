"""The panel: seats, checks, schedules and pure decisions, and how far judges agree."""
