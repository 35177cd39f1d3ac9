"""What a message of a ChatGPT export says, and what of it was said to somebody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .chatgpt_reading import read_one, read_turn, texts
from .export_samples import line, said
from .samples import read_all, turns_of

HIDDEN = {"is_visually_hidden_from_conversation": True}


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"metadata": HIDDEN}, "hidden"),
        ({"metadata": {"is_user_system_message": True}}, "custom instructions"),
        ({"author": {"role": "system"}}, "system instructions"),
        ({"content": {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "t"}]}}, "thoughts"),
        ({"content": {"content_type": "reasoning_recap", "content": "Thought for 12s"}}, "thoughts"),
        (
            {"content": {"content_type": "user_editable_context", "user_profile": "p", "user_instructions": "i"}},
            "custom instructions",
        ),
        ({"content": {"content_type": "model_editable_context", "model_set_context": "m"}}, "custom instructions"),
        ({"recipient": "web.run"}, "tool calls"),
        ({"recipient": "python", "content": {"content_type": "code", "text": "1 + 1"}}, "tool calls"),
        ({"recipient": "canmore.create_textdoc"}, "tool calls"),
        ({"content": {"content_type": "text", "parts": ["", " \n"]}}, "empty"),
        ({"content": {"content_type": "tether_browsing_display", "result": "", "summary": ""}}, "empty"),
    ],
)
def test_what_is_no_part_of_the_talk_is_left_out_and_counted(fields: Any, what: str, tmp_path: Path) -> None:
    record = line("c", said("q", "user", "Q", at=1), said("x", "assistant", "not said", at=2, **fields))
    talk, reasons = read_one(tmp_path, record)
    assert texts(talk) == [["Q"]]
    assert reasons == [f"not part of the conversation: 1 {what}; skipped"]


IMAGE = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 1, "metadata": {}}
DRAWN = {**IMAGE, "metadata": {"dalle": {"prompt": "a heron at dawn"}}}
HEARD = {"content_type": "audio_transcription", "text": "spoken words", "direction": "in"}
AUDIO = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_2"}
LIVE = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": AUDIO}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": [" as it \n stands "]}, " as it \n stands "),
        ({"content_type": "text", "parts": ["one", "", "two"]}, "one\ntwo"),
        ("plain", "plain"),
        ({"content_type": "multimodal_text", "parts": [IMAGE, "What is this?"]}, "[image]\nWhat is this?"),
        ({"content_type": "multimodal_text", "parts": [DRAWN]}, "[image: a heron at dawn]"),
        ({"content_type": "multimodal_text", "parts": [HEARD, AUDIO]}, "spoken words"),
        ({"content_type": "multimodal_text", "parts": [LIVE, HEARD]}, "spoken words"),
        ({"content_type": "multimodal_text", "parts": [LIVE]}, "[audio]"),
        ({"content_type": "multimodal_text", "parts": [{"content_type": "video_container_asset_pointer"}]}, "[video]"),
        ({"content_type": "multimodal_text", "parts": [{"content_type": "new_thing"}, "x"]}, "[new_thing]\nx"),
        ({"content_type": "multimodal_text", "parts": [{"text": "loose"}]}, "loose"),
        ({"content_type": "code", "language": "python", "text": "print('hi')\n"}, "print('hi')\n"),
        ({"content_type": "execution_output", "text": "42"}, "42"),
        (
            {"content_type": "tether_quote", "url": "https://example.org", "title": "Herons", "text": "They wade."},
            "[Herons https://example.org]\nThey wade.",
        ),
        ({"content_type": "tether_browsing_display", "result": "L0: a page", "summary": ""}, "L0: a page"),
        ({"content_type": "sonic_webpage", "url": "u", "title": "T", "text": "page"}, "[T u]\npage"),
        ({"content_type": "system_error", "name": "tool_error", "text": "Error: denied"}, "Error: denied"),
        ({"content_type": "tomorrow", "parts": ["text of a new type"]}, "text of a new type"),
        ({"parts": ["no type"]}, "no type"),
    ],
)
def test_every_type_of_content_becomes_its_text(content: Any, text: str, tmp_path: Path) -> None:
    assert read_turn(tmp_path, said("x", "tool", at=2, content=content)).text == text


def test_content_of_an_unknown_type_without_text_is_reported(tmp_path: Path) -> None:
    record = line("c", said("q", "user", "Q", at=1), said("x", "assistant", at=2, content={"content_type": "hologram"}))
    _, reasons = read_one(tmp_path, record)
    assert reasons == ["content of the type 'hologram' has no text; skipped"]


def test_tools_speak_under_their_names(tmp_path: Path) -> None:
    turn = read_turn(tmp_path, said("x", "tool", "42", at=2, author={"role": "tool", "name": "python"}))
    assert (turn.speaker, turn.role, dict(turn.meta)) == ("python", "tool", {})


def test_an_unknown_role_is_the_name_of_who_speaks(tmp_path: Path) -> None:
    turn = read_turn(tmp_path, said("x", "critic", "Hm.", at=2))
    assert (turn.speaker, turn.role) == ("critic", None)


def test_documents_on_the_canvas_are_kept(tmp_path: Path) -> None:
    made = {"name": "Plan", "type": "document", "content": "Step one"}
    turn = read_turn(tmp_path, said("x", "assistant", json.dumps(made), at=2, recipient="canmore.create_textdoc"))
    assert turn.text == "[canvas: Plan]\nStep one"
    changed = {"updates": [{"pattern": ".*", "replacement": "Step two"}, {"pattern": "x"}]}
    code = {"content_type": "code", "text": json.dumps(changed)}
    turn = read_turn(tmp_path, said("x", "assistant", at=2, content=code, recipient="canmore.update_textdoc"))
    assert turn.text == "[canvas]\nStep two"


def test_attachments_are_named_and_their_text_kept(tmp_path: Path) -> None:
    files = [
        {"id": "f1", "name": "notes.pdf", "mime_type": "application/pdf", "extracted_text": "Chapter one"},
        {"id": "f2", "name": "photo.png", "mime_type": "image/png"},
        None,
    ]
    message = said("x", "user", "Read these.", at=2, metadata={"attachments": files})
    expected = "Read these.\n[attachment: notes.pdf]\nChapter one\n[attachment: photo.png]\n[attachment]"
    assert read_turn(tmp_path, message).text == expected
    message["content"] = {"content_type": "multimodal_text", "parts": [IMAGE, "See."]}
    assert "photo.png" not in read_turn(tmp_path, message).text


def test_custom_gpts_and_projects_are_kept(tmp_path: Path) -> None:
    record = line("c", said("a", "user", "x", at=1))
    for gizmo, meta in [("g-abc", {"gizmo": "g-abc"}), ("g-p-123", {"project": "g-p-123"})]:
        talk, _ = read_one(tmp_path, {**record, "gizmo_id": gizmo, "conversation_template_id": gizmo})
        assert dict(turns_of(talk)[0].meta) == meta


def test_half_of_a_pair_in_any_text_is_mended_and_reported(tmp_path: Path) -> None:
    record = line("c\ud800", said("a", "user", "x\ud800", at=1), title="\udc00", gizmo_id="g\ud800")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]))
    (talk,), problems = read_all(path)
    assert problems
    shown = repr(talk)
    assert "\\ud800" not in shown and "\\udc00" not in shown
