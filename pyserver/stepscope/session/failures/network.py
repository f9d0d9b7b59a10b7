"""The file wants to fetch something, and there is no network, or no such thing."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from stepscope.session.failures.record import Answer, Ending, Raised
from stepscope.session.model import Action, ActionKind

_NO_CONNECTION = (
    "urllib.error.URLError", "requests.exceptions.ConnectionError", "requests.exceptions.Timeout",
    "urllib3.exceptions.MaxRetryError", "httpx.ConnectError", "httpx.ConnectTimeout",
    "httpx2.ConnectError", "httpx2.ConnectTimeout",
    "aiohttp.client_exceptions.ClientConnectorError",
    "socket.gaierror", "http.client.RemoteDisconnected",
)  # fmt: skip
_OFFLINE = (
    "huggingface_hub.errors.OfflineModeIsEnabled",
    "huggingface_hub.utils._errors.LocalEntryNotFoundError",
    "huggingface_hub.errors.LocalEntryNotFoundError",
)
_REFUSED = ("urllib.error.HTTPError", "requests.exceptions.HTTPError", "httpx.HTTPStatusError",
            "huggingface_hub.errors.HfHubHTTPError")  # fmt: skip
_HUB = "huggingface.co"
_NO_REPOSITORY = "it looks like there is no internet connection"


def refused(ending: Ending) -> Answer | None:
    """The host answered, and said no."""
    found = ending.find(*_REFUSED)
    if found is None or ending.find(*_OFFLINE):
        return None
    what, host = _what(ending, found)
    code = found.attributes.get("code")
    status = f"status {code}" if isinstance(code, int) else found.first_line
    return Answer(
        f"{ending.name} could not fetch {what}{ending.at}: {host} refused it ({status}). It may "
        "have moved or need an account; fetch it by hand, or change the address."
    )


def no_network(ending: Ending) -> Answer | None:
    """A download, and nobody who answers."""
    offline = ending.find(*_OFFLINE)
    found = offline or ending.find(*_NO_CONNECTION)
    if found is None:
        quoted = ending.says("We couldn't connect to 'https://huggingface.co'", "couldn't connect")
        found = quoted if quoted and _host_in(quoted.message) else None
    if found is None:
        found = next((r for r in ending.chain if _NO_REPOSITORY in r.message.lower()), None)
    if found is None:
        return None
    what, host = _what(ending, found)
    if offline is not None and "offline mode is enabled" in offline.message:
        return Answer(
            f"{ending.name} wants {what} from {host}{ending.at}, but offline mode is on "
            "(HF_HUB_OFFLINE) and it is not in the cache: fetch it once with the mode off."
        )
    return Answer(
        f"{ending.name} could not fetch {what} from {host}{ending.at}: there is no connection to "
        "it. Connect this machine to the network, or put the files where the script looks for "
        "them and run it again."
    )


def data_set_not_there(ending: Ending) -> Answer | None:
    """Torchvision and its kin: the data set is not in its folder, and nobody asked to fetch it."""
    found = ending.says("You can use download=True")
    if found is None:
        return None
    line = ending.files.line(ending.place)
    shown = f" (`{line}`)" if line else ""
    return Answer(
        f"{ending.name} found no data set{ending.at}{shown} in the folder that it names. Fetch it "
        "once with download=True, or, if the folder is meant from elsewhere, run the file there "
        "(setting stepscope.cwd, or --cwd).",
        Action(ActionKind.SET_CWD),
    )


def _what(ending: Ending, found: Raised) -> tuple[str, str]:
    """What was wanted, and the host it was wanted from, as far as anybody said."""
    messages = " ".join(raised.message for raised in ending.chain)
    url = ending.wanted.get("url") or ""
    repository = ending.wanted.get("repository")
    named = re.search(r"https?://[^\s'\"<>)]+", messages)
    if not url and named:
        url = named.group(0).rstrip(".,:;")
    host = urlsplit(url).hostname or _host_in(messages)
    if found.is_a(*_OFFLINE) or repository:
        host = host or _HUB
    path = urlsplit(url).path.rstrip("/")
    what = repository or path.rpartition("/")[2] or "something"
    return what, host or "a host that it did not name"


def _host_in(text: str) -> str:
    named = re.search(r"host='([^']+)'", text) or re.search(r"https?://([^/\s'\":]+)", text)
    return named.group(1) if named else ""
