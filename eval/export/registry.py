"""All exporters by name. A new one is a new file and one line here."""

from eval.export.base import Exporter
from eval.export.hf import HF
from eval.export.inspect_task import INSPECT
from eval.export.lmms_eval import LMMS_EVAL
from eval.export.own import JSONL
from eval.export.vlmevalkit import VLMEVALKIT

EXPORTERS: dict[str, Exporter] = {exporter.name: exporter for exporter in (HF, LMMS_EVAL, VLMEVALKIT, INSPECT, JSONL)}
