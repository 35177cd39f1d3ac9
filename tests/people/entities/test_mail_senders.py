"""Who only sends mail and is nobody is no person of a list; what they sent stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engramma import Turn
from engramma.people.entities.mail_senders import is_nobody
from engramma.transfer.imports import import_file
from tests.conftest import START

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("noreply@bank.example", ""),
        ("newsletter@garden.example", ""),
        ("Netflix", "no-reply@netflix.example"),
        ("Zalando", "info@zalando.example"),
        ("Garrison Lettings", "hello@garrisonlettings.example"),
        ("Kelvin Hall Year 7 Office", "year7@kelvinhall.example"),
        ("Saltmarsh Avian & Exotics", "accounts@saltmarshvets.example"),
        ("The Slack Team", "feedback@slack.example"),
        ("Anna Meier GmbH", "anna@meier.example"),
        ("Deutsche Wohnen AG", "mieter@wohnen.example"),
        ("Thames Water Customer Service", "reply@water.example"),
        ("University of Hull Newsletter", "hull@mail.example"),
        ("Barclays Bank", "you@barclays.example"),
        ("Kernow Compost Loos", "sales@kernowloos.example"),
        ("Council Footpaths", "paths@council.example"),
        ("Royal Cornwall Hospitals", "appointments@rch.example"),
    ],
)
def test_what_is_clearly_no_person(name, address):
    assert is_nobody(name, address)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Dunja Marlow", "dunja.marlow@mailbox.example"),
        ("dunja.marlow@mailbox.example", ""),
        ("Lisa Church", "lisa@mail.example"),
        ("Nkechi Church", "nkechi.church@mail.example"),
        ("Robert Service", "bob@mail.example"),
        ("Nkechi Adeyemi", "info@adeyemi.example"),
        ("Anna Meier", "noreply@portal.example"),
        ("Tom & Lena", "tom@mail.example"),
        ("Agnes Teamer", "agnes@mail.example"),
        ("Okafor", "d.okafor@hospital.example"),
        ("Mum", "mum@mail.example"),
        ("Joanne Hicks", "allotments@council.example"),
        ("Tupper", "garden@tupper.example"),
    ],
)
def test_who_may_be_one(name, address):
    assert not is_nobody(name, address)


def mail(name: str, address: str, text: str, number: int) -> str:
    head = f"From: {name} <{address}>\nTo: Ann Lee <ann@mail.example>\nSubject: No. {number}\n"
    head += f"Date: Mon, {number} Jun 2026 09:00:00 +0000\nMessage-ID: <{number}@mail.example>\n"
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}\n"


@pytest.fixture
def mailed(memory, tmp_path):
    sent = [
        ("Garrison Lettings", "hello@garrisonlettings.example", "Your rent goes up to £790 per month."),
        ("Nadia Okoro", "nadia@mail.example", "I moved to Otley and work at Fernwood."),
    ]
    for number, (name, address, text) in enumerate(sent, 1):
        path = tmp_path / f"{number}.eml"
        path.write_text(mail(name, address, text, number), encoding="utf-8")
        import_file(memory._core, path)
    return memory


def people(memory, **how):
    return {one.name for one in memory.people.all(**how)}


def test_a_company_that_only_sends_mail_is_not_listed_and_what_it_sent_is_found(mailed):
    assert "Nadia Okoro" in people(mailed) and "Garrison Lettings" not in people(mailed)
    assert "Garrison Lettings" in people(mailed, everything=True)
    assert "£790" in mailed.recall("How much is the rent?").candidates[0].text


def test_who_talks_elsewhere_too_or_has_a_name_by_the_user_is_listed(mailed):
    mailed.people.all()
    at = START + timedelta(days=300)
    mailed.remember_session("whatsapp-x", "s", [Turn("Garrison Lettings", "Please ring me back, love.", at, "w1")])
    assert "Garrison Lettings" in people(mailed)


def test_whom_the_user_renames_is_listed(mailed):
    mailed.people.all()
    mailed.entities.change("Garrison Lettings", name="Landlord")
    assert "Landlord" in people(mailed)
