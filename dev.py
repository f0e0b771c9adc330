"""Sets up and runs the project on a machine that has Python 3.11 or newer and nothing else of ours.

python3 dev.py example   the main job on the group in examples/, without keys or a server
python3 dev.py check     everything that says whether the tree is good: format, lint, types, import contracts, tests
python3 dev.py setup     only the environment (.venv)

Both make `.venv` on first use and install the versions of constraints.txt. Anything after the command is passed on.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

CHECKS = (
    ("format", ["ruff", "format", "--check", "."]),
    ("lint", ["ruff", "check", "."]),
    ("types", ["mypy"]),
    ("import contracts", ["lint-imports"]),
    ("tests", ["pytest", "-n", "2"]),
)


def main(arguments: list[str]) -> int:
    """Runs one of the commands; returns its exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036 -- the one file that may be started by an older Python
        sys.exit(f"Benchwright needs Python 3.11 or newer; this is {sys.version.split()[0]}. Try: python3.11 dev.py")
    command, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if command not in ("example", "check", "setup"):
        print(__doc__)
        return 0 if command in ("help", "-h", "--help") else 1
    set_up()
    if command == "example":
        return run([str(PYTHON), "-m", "graphs.generate", "--example", *rest])
    return check(rest) if command == "check" else 0


def check(rest: list[str]) -> int:
    """Runs every check, all of them even if one fails; `rest` goes to pytest. Returns 1 if any failed."""
    failed = []
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        extra = rest if name == "tests" else []
        if run([str(BIN / command[0]), *command[1:], *extra]):
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all good", flush=True)
    return 1 if failed else 0


def set_up() -> None:
    """Makes .venv and installs the project with its development tools, once for each state of the pins."""
    pins = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")))
    stamp = VENV / "installed"
    if stamp.is_file() and stamp.read_text() == pins.hexdigest():
        return
    if not PYTHON.is_file():
        print("== making .venv", flush=True)
        if run([sys.executable, "-m", "venv", str(VENV)]):
            shutil.rmtree(VENV, ignore_errors=True)
            sys.exit("Python's venv module is incomplete here. On Debian or Ubuntu: apt-get install python3-venv")
    print("== installing (a few minutes at most)", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if run([*pip, "uv"]) == 0:
        pip = [str(BIN / "uv"), "pip", "install", "--quiet", "--python", str(PYTHON)]
    if run([*pip, "--constraint", str(ROOT / "constraints.txt"), "--editable", f"{ROOT}[dev]"]):
        sys.exit("The installation failed; the lines above say why. Run the same command again to continue.")
    stamp.write_text(pins.hexdigest())


def run(command: list[str]) -> int:
    """Runs a command in the project's folder; returns its exit status."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
