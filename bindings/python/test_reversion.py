"""Run in this folder: python -m unittest -v. Without wasmtime, or without the module, the tests are skipped."""

import copy
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODULE = ROOT / "bindings/wasm/dist/reversion.wasm"

try:
    from example import TooNew, adapt
    from reversion import Reversion, ReversionError, ReversionTrap

    MISSING = None if MODULE.exists() else "the module is not built: run bindings/wasm/build.sh"
except ModuleNotFoundError as error:
    MISSING = f"{error.name} is not installed: pip install wasmtime"

OLD = {
    "apiVersion": "gateway.networking.k8s.io/v1alpha2",
    "kind": "BackendTLSPolicy",
    "metadata": {"name": "a"},
    "spec": {
        "targetRef": {"group": "", "kind": "Service", "name": "a"},
        "tls": {"hostname": "a.example.com", "wellKnownCACerts": "System"},
    },
}
NEW = {
    "apiVersion": "gateway.networking.k8s.io/v1",
    "kind": "BackendTLSPolicy",
    "metadata": {"name": "a"},
    "spec": {
        "targetRefs": [{"group": "", "kind": "Service", "name": "a"}],
        "validation": {"hostname": "a.example.com", "wellKnownCACertificates": "System"},
    },
}
TEXT = "# é\napiVersion: gateway.networking.k8s.io/v1beta1 # old\nkind: HTTPRoute\nmetadata: {name: a}\n"


def with_version(version):
    return {**copy.deepcopy(NEW), "apiVersion": f"gateway.networking.k8s.io/{version}"}


@unittest.skipIf(MISSING, MISSING)
class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reversion = Reversion(MODULE)

    def test_a_policy_of_any_release_is_adapted(self):
        for policy in [OLD, with_version("v1alpha3"), NEW]:
            self.assertEqual(adapt(policy, self.reversion), NEW)

    def test_a_newer_policy_is_refused(self):
        later = copy.deepcopy(NEW)
        later["spec"]["validation"]["laterField"] = True
        for policy in [later, with_version("v2")]:
            with self.assertRaises(TooNew):
                adapt(policy, self.reversion)

    def test_a_refusal_has_its_reason(self):
        with self.assertRaises(ReversionError) as newer:
            self.reversion.canonical(NEW, "gateway-api@1.0/experimental")
        self.assertEqual(newer.exception.reason, "newer")
        self.assertIn("v1.4.0", newer.exception.releases)
        both = copy.deepcopy(OLD)
        both["spec"]["validation"] = {"hostname": "b.example.com"}
        with self.assertRaises(ReversionError) as conflict:
            self.reversion.canonical(both, "gateway-api@1.4")
        self.assertEqual((conflict.exception.reason, conflict.exception.remarks[0]["code"]), ("conflict", "conflicting-fields"))
        with self.assertRaises(ReversionError) as unknown:
            self.reversion.convert("", "gateway-api@9")
        self.assertEqual(unknown.exception.reason, "unknown-release")

    def test_a_text_keeps_what_does_not_change(self):
        made = self.reversion.convert(TEXT, "gateway-api@1.4/standard")
        self.assertEqual((made["state"], made["text"]), ("changed", TEXT.replace("v1beta1", "v1")))
        self.assertEqual(self.reversion.infer(TEXT)["objects"][0]["object"], "HTTPRoute a")

    def test_a_loss_is_held_back_or_allowed(self):
        text = TEXT.replace("v1beta1", "v1") + "spec: {rules: [{retry: {attempts: 3}}]}\n"
        self.assertEqual(self.reversion.convert(text, "gateway-api@1.4")["state"], "held-back")
        self.assertEqual(self.reversion.convert(text, "gateway-api@1.4", allow_loss=["all"])["state"], "changed")
        self.assertIn("reversion.dev/stash", self.reversion.convert(text, "gateway-api@1.4", stash=True)["text"])

    def test_packs_are_listed_and_one_of_ones_own_converts(self):
        folder = ROOT / "fixtures/packs/shops"
        files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        own = Reversion(MODULE.read_bytes(), [{"name": "shops", "files": files}])
        shop = {"apiVersion": "shops.example.com/v1beta1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {"owner": "ann"}}
        self.assertEqual(own.canonical(shop, "shops@2.0.0")["object"]["spec"], {"owners": ["ann"]})
        self.assertIn("shops", [pack["name"] for pack in own.packs()["packs"]])
        self.assertNotIn("shops", [pack["name"] for pack in self.reversion.packs()["packs"]])

    def test_threads_take_turns(self):
        made = []
        run = lambda: made.extend(self.reversion.canonical(OLD, "gateway-api@1.4")["object"] for _ in range(20))
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(made, [NEW] * 80)

    def test_after_a_trap_the_module_starts_anew(self):
        reversion = Reversion(MODULE)
        with self.assertRaises(ReversionTrap):
            reversion._answer("reversion_abi_version", {})
        self.assertEqual(reversion.canonical(OLD, "gateway-api@1.4")["object"], NEW)

    def test_the_module_imports_nothing(self):
        self.assertEqual(list(self.reversion._module.imports), [])


if __name__ == "__main__":
    unittest.main()
