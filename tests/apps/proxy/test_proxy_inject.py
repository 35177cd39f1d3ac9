"""What is put into requests: nothing where the person only urges the assistant on."""

from __future__ import annotations

from engramma import Memory
from engramma.apps.daemon.memories import Memories
from engramma.apps.proxy.inject import Injector
from tests.conftest import talk
from tests.fakes import HashEmbedder


def test_a_message_that_only_urges_brings_nothing(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        lines = talk("user: continue with the boiler tests again", "assistant: The boiler tests run again.")
        memory.remember_session("kitchen", "monday", lines)
    memories = Memories(tmp_path / "store")
    memories._embedder = HashEmbedder()
    injector = Injector(memories, 30.0)
    assert injector.recalled("default", "boiler tests")
    assert not injector.recalled("default", "continue")
    assert not injector.recalled("default", "run the tests again")
    memories.close()
