"""The agent with scripted models that really call the tools, and with models that fail, ramble and lie."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from engramma.errors import ModelError
from engramma.models.llm import Completion, Message, ToolCall
from engramma.people.reconcile.agent import MOST_STEPS, Agent
from engramma.people.reconcile.policy import decide
from engramma.people.reconcile.reconcile import person_memory
from engramma.people.reconcile.tools import SCHEMAS
from engramma.people.reconcile.workspace import Aspect
from tests.people.made import JOB_1, JOB_2, LISA, PARTNERS, SARAH, said

Script = Callable[[Sequence[Message]], Completion]


@dataclass
class Scripted:
    """A model that replies as its script says, seeing what a real one would see."""

    script: Script
    seen: list[list[Message]] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)
    model: str = "scripted-1"

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Completion:
        self.seen.append(list(messages))
        self.tools.append(tools)
        return self.script(messages)


def aspects(*claims: Any) -> tuple[Aspect, Aspect]:
    john, _ = person_memory("John", claims, PARTNERS)
    one, other = (memory.aspects[0] for memory in john.conversations)
    return one, other


def call(name: str, **arguments: str) -> Completion:
    return Completion("", (ToolCall(f"call-{name}", name, arguments),), prompt_tokens=100, completion_tokens=10)


def answer(decision: str, *evidence: str, confidence: Any = 0.9, reason: str = "One career.") -> Completion:
    told = {"decision": decision, "reason": reason, "evidence": evidence, "confidence": confidence}
    return Completion(json.dumps(told))


def results(messages: Sequence[Message]) -> list[Any]:
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]


def looks_first(messages: Sequence[Message]) -> Completion:
    """As in the design: timeline, comparison, contexts, then a decision from what the tools said."""
    told = results(messages)
    steps = [
        call("get_entity_timeline", entity_name="job", person_id="John"),
        call("compare_entities_across_conversations", entity_name="job", conv_a="conv-41", conv_b="conv-43"),
        call("get_conversation_context", conv_id="conv-41", entity_id="john_job"),
        call("detect_contradictions", entity_id="john_job"),
    ]
    if len(told) < len(steps):
        return steps[len(told)]
    timeline, comparison, context, _ = told
    assert "sequential timeline" in comparison["overlap"]
    company = context["questions"][0]["a"]
    turns = [turn for row in timeline["timeline"] for turn in row["evidence"]]
    return answer("MERGE", *turns, reason=f"Sequential; my company is likely {company}.")


def test_the_agent_calls_the_tools_and_decides_from_what_they_say():
    model = Scripted(looks_first)
    agent = Agent(model, PARTNERS)
    found = agent.judge(*aspects(*JOB_1, *JOB_2))
    assert found is not None
    assert (found.verdict, found.by, found.confidence) == ("MERGE", "scripted-1", 0.9)
    assert found.evidence == ("conv-41/D3:5", "conv-43/D2:4")
    assert "software engineer" in found.reason or "TechCorp" in found.reason
    assert (agent.counts["tool_calls"], agent.counts["decided"], agent.counts["fallback"]) == (4, 1, 0)
    assert agent.counts["prompt_tokens"] == 400
    assert model.tools[0] == SCHEMAS
    assert [message["role"] for message in model.seen[-1]][:4] == ["system", "user", "assistant", "tool"]


def test_a_model_may_decide_otherwise_than_the_policy():
    one, other = aspects(SARAH, LISA)
    agent = Agent(Scripted(lambda _: answer("MERGE", "conv-41/D5:2", "conv-47/D3:1", reason="A nickname.")))
    found = agent.judge(one, other)
    policy = decide(one, other)
    assert found is not None
    assert policy is not None
    assert (found.verdict, policy.verdict) == ("MERGE", "SEPARATE")


def test_an_answer_in_a_fence_after_some_words_is_read():
    fenced = Completion(f"Sure!\n```json\n{answer('MERGE', 'conv-41/D3:5', 'conv-43/D2:4').text}\n```")
    found = Agent(Scripted(lambda _: fenced)).judge(*aspects(*JOB_1, *JOB_2))
    assert found is not None
    assert found.by == "scripted-1"


def fails(_: Sequence[Message]) -> Completion:
    raise ModelError("no connection")


@pytest.mark.parametrize(
    ("script", "counted"),
    [
        (lambda _: Completion("I think they are the same."), "malformed"),
        (lambda _: Completion(""), "malformed"),
        (lambda _: Completion('{"decision": "MAYBE", "reason": "?", "evidence": []}'), "malformed"),
        (lambda _: Completion('{"decision": "MERGE", "reason": "", "evidence": ["conv-41/D3:5"]}'), "malformed"),
        (lambda _: Completion("{" * 100_000), "malformed"),
        (lambda _: Completion("[" * 100_000 + "{}"), "malformed"),
        (lambda _: call("get_entity_timeline", entity_name="job", person_id="John"), "endless"),
        (lambda _: call("rm", path="/"), "endless"),
        (lambda _: Completion("", (ToolCall("x", "get_entity_timeline", None, "{{"),)), "endless"),
        (lambda _: answer("SEPARATE", "conv-41/D9:99", "conv-43/D9:99"), "unsupported"),
        (lambda _: answer("SEPARATE", "conv-41/D3:5"), "unsupported"),  # nothing of the other side
        (lambda _: answer("SEPARATE"), "unsupported"),
        (fails, "failed"),
    ],
)
def test_what_does_not_hold_ends_in_the_policys_decision_and_is_counted(script: Script, counted: str):
    model = Scripted(script)
    agent = Agent(model, PARTNERS)
    one, other = aspects(*JOB_1, *JOB_2)
    assert agent.judge(one, other) == decide(one, other)
    assert (agent.counts[counted], agent.counts["fallback"], agent.counts["decided"]) == (1, 1, 0)
    assert len(model.seen) <= MOST_STEPS


def test_a_wrong_answer_is_asked_for_once_more():
    def learns(messages: Sequence[Message]) -> Completion:
        is_told = "no JSON" in str(messages[-1]["content"])
        return answer("MERGE", "conv-41/D3:5", "conv-43/D2:4") if is_told else Completion("They are one.")

    agent = Agent(Scripted(learns))
    found = agent.judge(*aspects(*JOB_1, *JOB_2))
    assert found is not None
    assert found.by == "scripted-1"
    assert agent.counts["completions"] == 2


@pytest.mark.parametrize("wrong", ["very", True, -1, 7, None, float("nan")])
def test_a_confidence_that_is_none_is_a_half(wrong: Any):
    found = Agent(Scripted(lambda _: answer("MERGE", "conv-41/D3:5", "conv-43/D2:4", confidence=wrong))).judge(
        *aspects(*JOB_1, *JOB_2)
    )
    assert found is not None
    assert found.confidence == 0.5


def test_turns_that_are_made_up_are_left_out_of_the_evidence():
    agent = Agent(Scripted(lambda _: answer("MERGE", "conv-41/D3:5", "conv-43/D2:4", "conv-99/D1:1")))
    found = agent.judge(*aspects(*JOB_1, *JOB_2))
    assert found is not None
    assert found.evidence == ("conv-41/D3:5", "conv-43/D2:4")


def test_the_tools_show_nothing_of_others():
    marias = said("Maria", "works_at", "Hospital", "conv-41/D3:6", "2023-05-15", "I work at Hospital")
    model = Scripted(looks_first)
    Agent(model, PARTNERS).judge(*aspects(*JOB_1, *JOB_2, marias))
    assert "Hospital" not in json.dumps(model.seen[-1])


def test_a_person_is_reconciled_by_the_agent():
    agent = Agent(Scripted(lambda _: answer("SEPARATE", "conv-41/D3:5", "conv-43/D2:4", reason="Two firms.")), PARTNERS)
    john, rulings = person_memory("John", [*JOB_1, *JOB_2], PARTNERS, judge=agent.judge)
    assert [aspect.name for aspect in john.aspects] == ["job_1", "job_2"]
    assert [(ruling.verdict.by, ruling.verdict.reason) for ruling in rulings] == [("scripted-1", "Two firms.")]
