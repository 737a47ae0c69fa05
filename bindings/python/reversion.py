"""Converts Kubernetes objects and manifests to another release of their API, with the module reversion.wasm.

    reversion = Reversion("reversion.wasm")
    policy = reversion.canonical(old_policy, "gateway-api@1.4/standard")["object"]

Everything happens in memory, in a sandbox that can reach nothing. One instance serves any number of threads, one call at a time.
"""

import json
import os
import threading
from collections.abc import Iterable
from typing import Any

from wasmtime import Engine, Instance, Module, Store, Trap, WasmtimeError

ABI_VERSION = 1


class ReversionError(Exception):
    """A call that was not carried out.

    reason    for programs, such as "newer", "loss" or "unknown-kind"
    remarks   what there is to say about fields of the object, each with code, field and message
    releases  the releases that the object can be for, where those are newer
    """

    def __init__(self, reason: str, message: str, remarks: list[dict[str, str]] = (), releases: str | None = None):
        super().__init__(message)
        self.reason = reason
        self.remarks = list(remarks)
        self.releases = releases


class ReversionTrap(Exception):
    """A call that the module did not finish: a fault of the module. The next call has a module that starts anew."""


class Reversion:
    """The module. `module` is the path of reversion.wasm, or what is in it.

    `packs` are packs of your own, each a mapping with the "name" of its folder and its "files", from paths to texts.
    """

    def __init__(self, module: str | os.PathLike[str] | bytes, packs: Iterable[dict[str, Any]] = ()):
        self._engine = Engine()
        if isinstance(module, bytes):
            self._module = Module(self._engine, module)
        else:
            self._module = Module.from_file(self._engine, os.fspath(module))
        self._packs = list(packs)
        self._lock = threading.Lock()
        self._start()

    def canonical(self, obj: dict[str, Any], to: str) -> dict[str, Any]:
        """Converts an object to the release `to`, such as "gateway-api@1.4/standard", which is not older than the object.

        Returns a mapping with object, release, rules, renamedReferences and warnings.
        """
        return self._call("reversion_canonical", {"to": to, "object": obj})

    def convert(
        self, text: str, to: str, *, origin: str | None = None, stash: bool = False, allow_loss: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Converts the objects of a text, YAML or JSON; what does not change keeps its bytes.

        Returns a mapping with state, text, targets, notes, summary, objects, findings and advisories.
        """
        request = {"text": text, "to": to, "from": origin, "stash": stash, "allowLoss": list(allow_loss)}
        return self._call("reversion_convert", request)

    def infer(self, text: str) -> dict[str, Any]:
        """Tells which releases the objects of a text can be for. Returns a mapping with objects and findings."""
        return self._call("reversion_infer", {"text": text})

    def packs(self) -> dict[str, Any]:
        """Lists the APIs that the module knows. Returns a mapping with version and packs."""
        return self._call("reversion_packs", {})

    def _start(self) -> None:
        """Makes an instance of the module."""
        self._store = Store(self._engine)
        self._exports = Instance(self._store, self._module, []).exports(self._store)
        version = self._exports["reversion_abi_version"](self._store)
        if version != ABI_VERSION:
            raise ValueError(f"the module has version {version} of the interface, and this package needs {ABI_VERSION}")
        if self._packs:
            self._answer("reversion_use_packs", {"packs": self._packs})

    def _call(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            if self._exports is None:
                self._start()
            return self._answer(name, request)

    def _answer(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(request, allow_nan=False).encode()
        try:
            address = self._run("reversion_allocate", len(text))
            if address == 0:
                raise MemoryError(f"the module has no memory for {len(text)} bytes")
            self._exports["memory"].write(self._store, text, address)
            answer = json.loads(self._read(self._run(name, address)))
        except (Trap, WasmtimeError) as trap:
            message = self._failure() or str(trap)
            self._exports = None
            raise ReversionTrap(message) from trap
        if "error" in answer:
            raise ReversionError(**answer["error"])
        return answer["ok"]

    def _run(self, name: str, argument: int) -> int:
        # Addresses and lengths are unsigned.
        return self._exports[name](self._store, argument) & 0xFFFFFFFF

    def _read(self, address: int) -> bytes:
        length = self._run("reversion_length", address)
        text = bytes(self._exports["memory"].read(self._store, address, address + length))
        self._exports["reversion_free"](self._store, address)
        return text

    def _failure(self) -> str:
        try:
            return self._read(self._exports["reversion_failure"](self._store) & 0xFFFFFFFF).decode()
        except (Trap, WasmtimeError):
            return ""
