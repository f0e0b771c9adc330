"""Refuses to start where a file of the current folder would be imported instead of ours.

``python -m graphs.generate`` puts the current folder first on the import path, so a stray ``rules.py`` there would
take the place of our `rules` package and fail in obscure ways.
"""

import sys
from pathlib import Path

OUR_FOLDERS = (
    "agents", "configs", "eval", "gateway", "graphs", "judges", "media", "offline", "prompts", "records", "release",
    "report", "review", "rules", "store",
)  # fmt: skip


def foreign_modules(folder: Path, home: Path) -> tuple[Path, ...]:
    """Files and packages in `folder` that hide ours; empty when `folder` is our own home."""
    if folder.resolve() == home.resolve():
        return ()
    files = (folder / f"{name}.py" for name in OUR_FOLDERS)
    packages = (folder / name / "__init__.py" for name in OUR_FOLDERS)
    return tuple(path for path in (*files, *packages) if path.is_file())


def refuse_foreign_modules() -> None:
    """Exits with status 1 and one clear line if the current folder hides one of our folders."""
    home = Path(__file__).resolve().parents[1]
    found = foreign_modules(Path.cwd(), home) if sys.path and Path(sys.path[0] or ".") in (Path(), Path.cwd()) else ()
    if found:
        names = ", ".join(str(path.relative_to(Path.cwd())) for path in found)
        sys.stderr.write(
            f"error: {names} in the current folder hides a part of Benchwright with the same name. "
            "Run the command from another folder (paths may be absolute), or rename the file.\n"
        )
        raise SystemExit(1)
