"""The outage's claims once more, on PostgreSQL."""

from __future__ import annotations

from tests.outage.conftest import embedding  # noqa: F401  (a fixture)
from tests.outage.test_care import (  # noqa: F401
    test_a_note_that_repeats_another_becomes_its_repeat_when_it_is_embedded,
    test_a_segment_that_loses_a_turn_in_an_outage_gets_the_vector_of_the_rest,
    test_what_waits_can_be_forgotten_and_is_never_sent,
)
