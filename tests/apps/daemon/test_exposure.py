"""Other machines reach a memory only if its user said so: with TLS, or in so many words without."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engramma.apps.cli.daemon import Wishes, given, settings
from engramma.apps.daemon.exposure import check_exposure, warning
from engramma.apps.daemon.folder import place_in, read_json
from engramma.apps.daemon.run import is_running
from engramma.apps.daemon.settings import DaemonSettings, settings_from
from engramma.errors import BadInput
from tests.apps.daemon.serving import certified
from tests.apps.hooks.calling import call
from tests.commands import ran


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "memory.lan"])
@pytest.mark.parametrize("command", [["serve"], ["start"], ["unit", "systemd"]], ids=" ".join)
def test_a_host_that_others_can_reach_is_refused_without_a_word_about_tls(
    tmp_path: Path, host: str, command: list[str]
) -> None:
    store = tmp_path / "store"
    refused = ran("--store", store, *command, "--host", host, "--port", "0")
    assert refused.returncode == 1
    assert f"{host} lets other machines reach this memory" in refused.stderr
    assert "--tls-cert" in refused.stderr and "--insecure-no-tls" in refused.stderr and "ssh -L" in refused.stderr
    assert not is_running(place_in(store))


def test_the_settings_of_a_store_do_not_open_it_either(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="lets other machines reach"):
        check_exposure(settings_from({"host": "0.0.0.0"}))
    check_exposure(settings_from({"host": "0.0.0.0", "insecure_no_tls": True}))
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        check_exposure(DaemonSettings(host=host))
        assert warning(DaemonSettings(host=host)) is None
    told = warning(DaemonSettings(host="0.0.0.0", insecure_no_tls=True))
    assert told is not None and "Nothing is encrypted" in told


def test_tls_that_cannot_work_is_refused_before_anything_starts(tmp_path: Path) -> None:
    cert, key = certified(tmp_path)
    (tmp_path / "locked").mkdir()
    _, locked = certified(tmp_path / "locked", b"secret")
    with pytest.raises(BadInput, match="belong together"):
        settings_from({"tls_cert": cert})
    for pair in ((cert, str(tmp_path / "gone")), (key, cert), (cert, locked), (str(tmp_path), key)):
        with pytest.raises(BadInput, match="does not work"):
            check_exposure(DaemonSettings(tls_cert=pair[0], tls_key=pair[1]))
    check_exposure(DaemonSettings(host="0.0.0.0", tls_cert=cert, tls_key=key))


@contextmanager
def started(store: Path, *options: str) -> Iterator[dict[str, Any]]:
    done = ran("--store", store, "start", "--port", "0", *options)
    try:
        assert done.returncode == 0, done.stderr
        assert "warning: Other machines can reach this memory" in done.stderr
        yield read_json(place_in(store).state)
    finally:
        ran("--store", store, "stop", "--relay")


@pytest.mark.long
def test_with_tls_every_command_still_works_and_knows_its_own_daemon(tmp_path: Path) -> None:
    store = tmp_path / "store"
    cert, key = certified(tmp_path)
    options = ["--host", "0.0.0.0", "--tls-cert", cert, "--tls-key", key, "--allow-host", "memory.lan"]
    with started(store, *options) as state:
        assert state["url"].startswith("https://127.0.0.1:")
        assert f"running   {state['url']}" in ran("--store", store, "status").stdout
        assert (
            "http://127.0.0.1:" in ran("--store", store, "env").stdout
        )  # the relay, which knows the daemon by its proof
        assert ran("--store", store, "open", "--print").stdout.startswith(state["url"])
        hook = call(store, {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/", "source": "startup"})
        assert hook.rc == 0 and not (place_in(store).folder / "hook.log").exists()  # nothing failed

        context = ssl.create_default_context(cafile=cert)
        context.check_hostname = False
        with httpx2.Client(base_url=state["url"], verify=context) as client:
            assert client.get("/health", headers={"host": "memory.lan"}).status_code == 200
            assert client.get("/health", headers={"host": "0.0.0.0"}).status_code == 421
            assert client.get("/health", headers={"host": "evil.example"}).status_code == 421
        with pytest.raises(httpx2.HTTPError):
            httpx2.get(state["url"].replace("https", "http") + "/health")

        other, _ = certified(tmp_path / "store")  # another certificate than the daemon's: it is not our daemon
        place_in(store).state.write_text(place_in(store).state.read_text().replace(cert, other))
        refused = ran("--store", store, "status")
        assert refused.returncode == 1 and "certificate" in refused.stderr


def test_without_tls_it_takes_so_many_words_and_a_process_in_another_folder_hears_them() -> None:
    wishes = Wishes(host="0.0.0.0", port=0, insecure_no_tls=True, allow_host=["memory.lan"])
    options = ["--host", "0.0.0.0", "--port", "0", "--allow-host", "memory.lan", "--insecure-no-tls"]
    assert given(None, wishes) == options
    assert settings(Path("/nowhere"), wishes).insecure_no_tls
    paths = given(None, Wishes(tls_cert=Path("cert.pem"), tls_key=Path("key.pem")))
    assert paths == ["--tls-cert", str(Path.cwd() / "cert.pem"), "--tls-key", str(Path.cwd() / "key.pem")]
