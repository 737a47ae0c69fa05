"""How a controller in Python takes a BackendTLSPolicy of any release of Gateway API."""

from typing import Any

from reversion import Reversion, ReversionError

# What the controller is written for.
RELEASE = "gateway-api@1.6/standard"
# What the module says of something that no release has which it knows.
UNKNOWN = {"unknown-api-version", "unknown-field"}


class TooNew(Exception):
    """The object is newer than what the controller is written for."""


def adapt(policy: dict[str, Any], reversion: Reversion) -> dict[str, Any]:
    """Returns a BackendTLSPolicy as v1 has it, whichever release it was written for.

    Raises TooNew for one that is newer, and ReversionError for one that v1 cannot hold.
    """
    try:
        made = reversion.canonical(policy, RELEASE)
    except ReversionError as error:
        if error.reason == "newer":
            raise TooNew(str(error)) from error
        raise
    newer = [warning["message"] for warning in made["warnings"] if warning["code"] in UNKNOWN]
    if newer:
        raise TooNew("; ".join(newer))
    return made["object"]
