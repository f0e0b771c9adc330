"""``python -m tests.fakeserver --port N [--policy JSON] [--script MODULE:FUNCTION] [--log FILE]``."""

from tests.fakeserver.server import main

main()
