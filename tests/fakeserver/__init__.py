"""A fake OpenAI-compatible server on a real socket: answers from the JSON schema, faults on demand, an honest log.

    with FakeServer(Policy(faults=(Fault("rate-limit", rate=0.1, retry_after="0.2"),))) as server:
        spec = ModelSpec(name="m", model="hosted_vllm/fake", api_base=server.base_url)

In another process: ``python -m tests.fakeserver --port 8001 --policy '{"delay_s": 2}'``; its log is at ``/log``.
"""

from tests.fakeserver.policy import FAULT_KINDS, Fault, FaultKind, Policy
from tests.fakeserver.request import ChatRequest
from tests.fakeserver.server import FakeServer, Served

__all__ = ["FAULT_KINDS", "ChatRequest", "FakeServer", "Fault", "FaultKind", "Policy", "Served"]
