"""Result tables: one record, and one file a form in which it is written (terminal, Markdown, LaTeX, CSV, Parquet)."""
