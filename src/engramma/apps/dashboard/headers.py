"""What every answer to a browser says: load nothing from elsewhere, run nothing inline, keep no data."""

from __future__ import annotations

from ..daemon.guard import App, Message, Receive, Scope, Send

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
ALWAYS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
NO_STORE = (b"cache-control", b"no-store")


def secured(app: App) -> App:
    """The same application; its answers carry these headers, and are not kept unless they say so themselves."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                extra = [header for header in (*ALWAYS, NO_STORE) if header[0] not in names]
                message = {**message, "headers": [*given, *extra]}
            await send(message)

        await app(scope, receive, say if scope["type"] == "http" else send)

    return wrapped
