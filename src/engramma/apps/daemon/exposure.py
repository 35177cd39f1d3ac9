"""Checks whether other machines can reach the daemon, and whether the user allowed that."""

from __future__ import annotations

import ssl

from ...errors import BadInput
from .hosts import is_loopback
from .settings import DaemonSettings

REFUSED = (
    "{host} lets other machines reach this memory. Without TLS, anyone on the network path can read the token and "
    "all traffic, and then read and write the memory. Pass --tls-cert and --tls-key, or --insecure-no-tls if a "
    "tunnel or a reverse proxy encrypts. To use it from one other machine, stay on 127.0.0.1 and forward the port: "
    "ssh -L {port}:127.0.0.1:{port} THIS-MACHINE."
)


def check_exposure(settings: DaemonSettings) -> None:
    """BadInput if others could come in without TLS and nobody said that they may, or if TLS could not work."""
    if settings.tls_cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(settings.tls_cert, settings.tls_key, password=no_password)
        except (OSError, ValueError) as error:  # ssl's own errors are OSErrors
            why = error.strerror or error if isinstance(error, OSError) else error
            raise BadInput(f"TLS with {settings.tls_cert} and {settings.tls_key} does not work: {why}.") from error
    elif not is_loopback(settings.host) and not settings.insecure_no_tls:
        raise BadInput(REFUSED.format(host=settings.host, port=settings.port or "PORT"))


def no_password() -> str:
    """A daemon cannot ask for one."""
    raise ValueError("the key is protected by a passphrase; the daemon needs one without")


def warning(settings: DaemonSettings) -> str | None:
    """What it means that others can come; None if they cannot."""
    if is_loopback(settings.host):
        return None
    names = ", ".join(settings.allow_hosts) or "its address only; add names with --allow-host"
    reached = f"Other machines can reach this memory on {settings.host} (by {names}): anyone with a token has access."
    if settings.tls_cert:
        return reached
    return f"{reached} Nothing is encrypted: anyone on the network path can read the token and all traffic."
