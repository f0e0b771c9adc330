"""The 400 worked cases of the panel's decision, from a brute-force reference, under both schedules."""

import json
from typing import Any

import pytest

from judges.decide import decide
from judges.schedule import PlannedCall
from records.config import Checks, Panel
from tests.conftest import shared_data
from tests.judges.builders import Answer, a_panel, a_question, run


def cases() -> list[dict[str, Any]]:
    lines = shared_data("decision_cases.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def panel_of(case: dict[str, Any], schedule: str) -> Panel:
    config = case["config"]
    checks = {
        "solvability": {"confidence": config["confidence"]},
        "ambiguity": {"combine": config["combine"], "severity": config["severity"]},
        "difficulty": {"confidence": config["confidence"]},
        "min_votes": config["min_votes"],
    }
    return a_panel(config["seats"], schedule=schedule, checks=Checks.model_validate(checks))


def says(case: dict[str, Any], call: PlannedCall) -> Answer:
    votes = case[call.check] if call.check == "difficulty" else case[call.check][call.unit]
    vote = votes[int(call.seat.removeprefix("s"))]
    return (vote["answer"], vote["confidence"]) if isinstance(vote, dict) else vote


@pytest.mark.parametrize("schedule", ["full", "frugal"])
def test_every_worked_case(schedule: str) -> None:
    worked = cases()
    assert len(worked) == 400
    asked = 0
    for case in worked:
        question, panel, tags = a_question(case["key"]), panel_of(case, schedule), tuple(case["solvability"])
        verdicts = run(question, panel, tags, lambda call, case=case: says(case, call))
        judged = decide(question, verdicts, panel, tags)
        expected = (case["expected"]["outcome"], case["expected"]["check"])
        assert (judged.outcome, judged.removed_by) == expected, case["case_id"]
        asked += len(verdicts)
        if schedule == "full":
            assert judged.calls_saved == 0
        else:
            whole = (len(tags) + 3 + 1) * len(panel.judges)
            assert judged.calls_saved == whole - len(verdicts)
    print(asked)
