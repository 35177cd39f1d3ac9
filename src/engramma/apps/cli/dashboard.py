"""The command `open`: the dashboard in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import chosen, command, out, say, store_path


@command("open", without=("json",))
def open_dashboard(
    only_print: Annotated[bool, typer.Option("--print", help="Print the link instead of opening it.")] = False,
    end_all: Annotated[bool, typer.Option("--end-all", help="Log out every browser and open nothing.")] = False,
) -> None:
    """Open the dashboard in your browser. Starts the daemon if it is not running.

    The link works once, within five minutes; the browser then stays logged in until it is idle for twelve hours.
    """
    import webbrowser

    from ..daemon import control
    from ..daemon.folder import place_in
    from ..daemon.run import is_running
    from ..dashboard.browser_login import end_visits, one_time_link, one_time_page

    folder = store_path().resolve()
    if end_all:
        out(f"{end_visits(folder)} logged out")
        return
    name = chosen.namespace
    if not is_running(place_in(folder)):
        told = control.start_daemon(folder, ["--namespace", name] if name else [])
        say(f"started a daemon at {told['url']}; `engramma stop` stops it")
    if only_print:
        out(one_time_link(folder, name))
        return
    # A private file leads to the link: the list of processes shows every user what a browser was started with.
    page = one_time_page(folder, name)
    if webbrowser.open(page.as_uri()):
        say("opened the dashboard in your browser; `engramma open --print` prints a link instead")
    else:
        page.unlink(missing_ok=True)
        out(one_time_link(folder, name))
