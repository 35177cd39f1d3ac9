"""Lets a model write an answer, sentence by sentence: each is checked before anybody sees it.

Whatever the model does, there is an answer: the one without a model if it is away, too slow or writes nothing that
stands up to the check.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from ...errors import EngrammaError
from ...models.chat import ReplyCancelled
from ...models.http_client import Cancellation
from ...models.llm import LLM, Message, stream_reply
from ...records.people import Answer, AnswerSentence, Evidence
from ..answers.sentences import find_content_stems, split_turn
from ..answers.wording import answer_language, worded
from .answer_check import AskedWords, said_words, why_unsupported, with_verbatim_quotes
from .answer_lines import CitedSentence, ReplyParser

ANSWER_SECONDS = 120.0  # for a model that no settings speak of
MOST_SENTENCES = 8  # of an answer
MOST_READ = 16  # different sentences of a reply: a model that goes on has lost the question
MOST_REPEATS = 3  # of what it wrote already: a small model turns in circles until its tokens are used up
LONGEST_REPLY = 20_000  # characters that are read, also of one that ends no sentence
UNSURE = 0.3  # confidence at most where the model finds no answer in what it was shown

Writing = Generator[AnswerSentence, None, Answer]


@dataclass(frozen=True, slots=True)
class WritingTask:
    """What a model is to answer: the answer without it, the turns by their numbers, and the prompt that shows them."""

    found: Answer
    turns: tuple[Evidence, ...]
    messages: Sequence[Message]
    asked: AskedWords
    seconds: float = ANSWER_SECONDS


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence that was left out, and why."""

    text: str
    reason: str


class AnswerStream:
    """An answer while it is written: iterate over its sentences, then take the whole.

    `found` is the answer without a model, known before the first sentence. Closing it, or leaving its `with` block,
    ends the model's work; `cancel` does so from another thread.
    """

    def __init__(self, found: Answer, write: Callable[[Cancellation], Writing] | None = None) -> None:
        self.found = found
        self._cancel = Cancellation()
        self._writing = None if write is None else write(self._cancel)
        self._answer = found if write is None else None

    @property
    def is_written(self) -> bool:
        """Whether a model writes it."""
        return self._writing is not None

    def __iter__(self) -> Iterator[AnswerSentence]:
        return self

    def __next__(self) -> AnswerSentence:
        if self._writing is None or self._answer is not None:
            raise StopIteration
        try:
            return next(self._writing)
        except StopIteration as done:
            self._answer = self.found if done.value is None else done.value
            raise

    @property
    def answer(self) -> Answer:
        """The whole answer, once the model has written it."""
        for _ in self:
            pass
        return self.found if self._answer is None else self._answer

    def without_model(self, reason: str) -> Answer:
        """The answer without the model, with a line that says why."""
        return without_model(self.found, "", reason, "not asked")

    def cancel(self) -> None:
        """End the model's work. May be called from any thread; the iteration then ends soon."""
        self._cancel.cancel()

    def close(self) -> None:
        """End the model's work, in the thread that reads it."""
        self.cancel()
        if self._writing is not None:
            self._writing.close()

    def __enter__(self) -> AnswerStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_answer(llm: LLM, task: WritingTask, cancel: Cancellation) -> Writing:
    """Sentences of a model that its turns support, as it writes them; at last the answer made of them.

    `trace["written"]` says how it went: by the model, refused, unsupported, malformed, failed or cancelled.
    """
    kept, left_out, refused, trouble = list[AnswerSentence](), list[Unsupported](), False, ""
    try:
        with closing(_read(llm, task, cancel)) as sentences:
            for sentence in sentences:
                if sentence.refuses:
                    refused = True
                    continue
                made = checked_sentence(sentence, task)
                if isinstance(made, Unsupported):
                    left_out.append(made)
                    continue
                kept.append(made)
                yield made
                if len(kept) == MOST_SENTENCES:
                    break
    except ReplyCancelled:
        trouble = "it was cancelled"
    except EngrammaError as error:
        trouble = str(error) or type(error).__name__
    trace = {**task.found.trace, "unsupported": [{"text": one.text, "reason": one.reason} for one in left_out]}
    if not left_out:
        trace.pop("unsupported")
    if kept:
        return _written(llm.model, task, kept, len(left_out), trouble, trace)
    if trouble:
        return without_model(task.found, llm.model, trouble, "cancelled" if cancel.is_set else "failed", trace)
    if refused:
        return _refused(llm.model, task.found, trace)
    if left_out:
        reason = f"none of its {len(left_out)} sentences is supported by a turn that it cites"
        reason = "its sentence is not supported by a turn that it cites" if len(left_out) == 1 else reason
        return without_model(task.found, llm.model, reason, "unsupported", trace)
    return without_model(task.found, llm.model, "it wrote no sentence", "malformed", trace)


def _read(llm: LLM, task: WritingTask, cancel: Cancellation) -> Generator[CitedSentence, None, None]:
    """The sentences of a model's reply, each once, as they are completed; a bounded number of them."""
    parser, seen, repeats, size = ReplyParser(len(task.turns)), set[str](), 0, 0
    with closing(stream_reply(llm, task.messages, time.monotonic() + task.seconds, cancel)) as pieces:
        for piece in pieces:
            size += len(piece)
            for sentence in parser.feed(piece):
                repeats += sentence.text in seen
                if sentence.text not in seen:
                    seen.add(sentence.text)
                    yield sentence
            if len(seen) >= MOST_READ or repeats >= MOST_REPEATS or size > LONGEST_REPLY:
                return
    yield from (sentence for sentence in parser.end() if sentence.text not in seen)


def checked_sentence(sentence: CitedSentence, task: WritingTask) -> AnswerSentence | Unsupported:
    """A sentence with the turns that it rests on, or why it is left out."""
    cited = tuple(task.turns[number - 1] for number in sentence.cited if 0 < number <= len(task.turns))
    if not cited:
        reason = "it cites no turn" if not sentence.cited else "it cites a turn that was not shown"
        return Unsupported(sentence.text, reason)
    text = with_verbatim_quotes(sentence.text, cited)
    if text is None:
        return Unsupported(sentence.text, "it quotes what no cited turn says")
    why = why_unsupported(text, said_words(cited), task.asked)
    return AnswerSentence(text, cited) if why is None else Unsupported(sentence.text, why)


def _written(
    model: str, task: WritingTask, kept: Sequence[AnswerSentence], dropped: int, trouble: str, trace: Mapping[str, Any]
) -> Answer:
    """The answer in the model's words. Its quote is the sentence that the first of them rests on."""
    found, first = task.found, kept[0].evidence[0]
    cited = [one for sentence in kept for one in sentence.evidence]
    same = bool(found.evidence) and found.evidence[0] == first and bool(found.quote)
    remarks = [f"{dropped} of {dropped + len(kept)} sentences left out: no cited turn supports them"] if dropped else []
    remarks += [f"{model} broke off: {trouble}"] if trouble else []
    is_sure = found.verdict != "not known"  # where recall and reader found nothing, a model's word alone is no answer
    language = answer_language(found.question, found.trace.get("language", ""))
    return replace(
        found,
        text=" ".join(one.text for one in kept) if is_sure else "",
        short="",
        quote=found.quote if same else quote_for(kept[0].text, first),
        abstained=not is_sure,
        verdict="answered" if is_sure else "unsure",
        reason=worded(language, "model_wrote" if is_sure else "model_alone", model=model),
        evidence=tuple(dict.fromkeys((*cited, *found.evidence))),
        sentences=tuple(kept),
        written_by=model,
        remark="; ".join(remarks),
        trace={**trace, "written": model},
    )


def quote_for(sentence: str, turn: Evidence) -> str:
    """The sentence of a turn that has most words of another sentence, verbatim."""
    wanted, parts = find_content_stems(sentence), split_turn(turn.text)
    return max(parts, key=lambda part: len(wanted & part.stems)).text if parts else ""


def _refused(model: str, found: Answer, trace: Mapping[str, Any]) -> Answer:
    """What was found, as something that may not be an answer: the model saw none in it."""
    gone = replace(found, text="", short="", abstained=True, trace={**trace, "written": "refused"})
    reason = worded(answer_language(found.question, found.trace.get("language", "")), "model_none", model=model)
    gone = replace(gone, reason=reason, confidence=min(found.confidence, UNSURE))
    return replace(gone, verdict="unsure") if found.quote else replace(gone, verdict="not known")


def without_model(found: Answer, model: str, reason: str, how: str, trace: Mapping[str, Any] | None = None) -> Answer:
    """The answer as it is without the model, with a line that says why."""
    named = f"{model}: {reason}" if model else reason
    return replace(
        found,
        remark=f"Answered without the language model ({named})",
        trace={**(found.trace if trace is None else trace), "written": how},
    )
