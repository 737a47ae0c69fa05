//! The words of the output, for `explain` and the README's glossary.
//!
//! Invariant: the entries are sorted by word, and every word is there once.

/// A word of the output, explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word, as it is printed.
    pub word: &'static str,
    /// What it means.
    pub text: &'static str,
}

/// Makes the list of words: word, text.
macro_rules! glossary {
    ($($word:literal $text:literal;)*) => {
        /// Every word, sorted.
        pub const GLOSSARY: &[Term] = &[$(Term { word: $word, text: $text },)*];
    };
}

glossary! {
    "-" "Cost of a change in `matrix`: nothing is to be done in that direction.";
    "0" "Exit code: nothing to do, or all done.";
    "1" "Exit code: changes are needed, something was held back or is unresolved, or a file was left out.";
    "2" "Exit code: the call failed, because of a bad argument, a file that cannot be read or parsed, or a failed write. `apply` wrote nothing.";
    "3" "Exit code: no object was recognized. Standard error says where the program looked; `--allow-empty` makes it 0.";
    "about the cluster" "Start of an advisory: what the change of the release means for the cluster that the objects are applied to, said once.";
    "about the release" "Start of an advisory: what one of the two releases does, whatever the objects hold, said once.";
    "acknowledged" "Summary and outcome: findings that were accepted before, and objects of which it was that they are held back or not at the target, by a comment, `reversion.toml` or a baseline. They do not affect the exit code, and are printed with `--verbose` only.";
    "additive" "Class of a change in `crd check`: there is more, and what was written stays valid and means the same.";
    "advisory" "Cost of a change in `matrix`: nothing is converted, but something outside the objects changes. Read it, and act on it by hand.";
    "all but" "Summary of `detect`: as `all fit`, without the few objects that contradict the others, of which there is the number.";
    "all fit" "Summary of `detect`: the releases that have the fields of all objects of an API and serve their apiVersions.";
    "api-version" "Subject in `matrix`: the target serves a kind under another apiVersion, which is written into the objects.";
    "backward" "Direction: towards an older release, a rollback. The steps of each rule are undone, the last one first.";
    "baseline" "The findings that `check --write-baseline` lists in a file, so that `check --baseline` fails because of others only.";
    "breaking" "Class of a change in `crd check`: what was written means something else, is dropped, or is read otherwise.";
    "bundle" "A version of an API as its project publishes it, such as v1.4.0. A bundle and a channel are a release.";
    "by itself" "Of an object that is for other releases than those that the other objects agree on: it is converted from its own.";
    "catalog" "The fields of one kind in every release of a pack, generated from the project's CRDs.";
    "changed" "Outcome: the object is converted. Its file changes at the places named in the diff and nowhere else.";
    "channel" "A variant of a bundle, named by its project: standard and experimental of Gateway API. Projects without channels have bundles alone.";
    "claimed" "Summary of `pack lint`: removed kinds, fields or values that a rule converts.";
    "code" "The stable name of a kind of finding, in brackets behind the severity, such as `dropped-field`. `explain CODE` describes it.";
    "crds" "Pack that is made of CRDs: `crds@tree` of those in the files, of APIs that no pack knows, `crds@NAME` of those that `--crds` passes, named after its path.";
    "current" "Summary of `detect`: the newest release serves the objects as they are.";
    "deprecated" "Summary of `detect`, and `releases`: a release serves the apiVersion and calls it deprecated: a later one need not serve it.";
    "documentation" "Class of a change in `crd check`: only what people read changed.";
    "dropped" "Summary of `pack lint`: removed kinds, fields or values that `pack.yaml` lists with a reason. Class of a change in `crd check`: a version or a kind is gone.";
    "error" "Severity: the file or the run failed. Exit code 2; `apply` writes nothing, except with `--keep-going`.";
    "evidence" "A field of an object, or a chart, image or mark in the files, that shows for which releases the object can be.";
    "exact" "Cost of a change: nothing is lost, and converting back restores the bytes.";
    "experimental" "Channel: the standard fields and kinds, and those that may still change.";
    "failed" "Summary: files that could not be read or parsed. Exit code 2, or 1 with `--keep-going`.";
    "field" "Subject in `matrix`: a field that only one of the two releases has.";
    "finding" "One line of the report: a place, a severity, a code and a message, with a help line where there is something to do.";
    "forward" "Direction: towards a newer release, an upgrade.";
    "held-back" "Severity, outcome and cost: the object is left unchanged, because its conversion would lose values or is not certain. Exit code 1; the help line of its finding names what to do, such as a flag that allows the loss.";
    "kind" "Subject in `matrix`: a kind that only one of the two releases has.";
    "left out" "Summary: files that failed, which `--keep-going` leaves unchanged. What is known to depend on them is held back.";
    "lens" "The operations of a rule, which convert an object in both directions.";
    "limit" "Subject in `matrix`: one of the two releases allows less in a field, such as fewer items.";
    "listed" "Summary: the files that `--files-from` names. Only they are reported and written.";
    "loosened" "Class of a change in `crd check`: more is accepted of what was there.";
    "lossy" "Cost of a change: values can be lost. The object is held back until `--allow-loss` or `--stash` is passed.";
    "normalized" "Cost of a change: the meaning stays, but converting back writes it in another form than before.";
    "note" "Severity: nothing to do. Notes are printed with `--verbose` only.";
    "object" "A Kubernetes object: a document of a YAML file, an item of a List, an inline patch, or the values of a known chart.";
    "operation" "One step of a lens, such as `rename` or `wrap`. `explain OPERATION` describes it.";
    "other fields" "Of an object that changes: it keeps its apiVersion, or has none, as values of a chart, and fields of it change, which are named where no rule does.";
    "outdated" "Summary of `detect`: objects with an apiVersion that the newest release calls deprecated or does not serve.";
    "pack" "What is known about one project: its releases, its catalogs and its rules. `reversion releases` lists the packs; a pack can have other names besides its own (`aliases`).";
    "parameter" "What no file shows, or what is a choice: `--set PACK.NAME=VALUE` sets it, `--set NAME=VALUE` in every pack that has it. `reversion releases PACK` lists the parameters.";
    "plan" "The edits of all files and the findings, before anything is written. `reversion plan` saves it, `apply --plan` writes it.";
    "policy" "What `crd check` goes by: how severe each change of CRDs is, and which step of the version it needs. `kubernetes`, `gateway-api`, `nginx`, `guideline`, or a file.";
    "read" "Summary: files that were read, whatever they hold.";
    "recognized" "Summary: objects of a kind that a pack knows, other objects that change or are held back, and places with values of a known chart. With a target, only its packs count, so the number can differ between targets. Without one, the exit code is 3.";
    "release" "A bundle in a channel, written PACK@RELEASE/CHANNEL: `gateway-api@1.4/standard`. Without a channel it is in the most stable one; 1.4 is the newest v1.4 bundle, `latest` the newest of all, a pre-release only where there is nothing else.";
    "removed in" "Heading of `detect`: the first release that does not serve an apiVersion any more.";
    "renamed" "Class of a change in `crd check`: a field is gone, and another one beside it has the same schema.";
    "rule" "One documented change of an API between two releases, and how to convert it in both directions. `explain RULE` shows it.";
    "served" "Heading of `releases`: the apiVersions under which a release accepts objects of a kind.";
    "settings" "First line with `--verbose`: the `reversion.toml` that was read, its keys, and those that a flag or a variable overrides.";
    "shard" "One of several parts of a tree, by a hash of the paths of its files: `--shard 1/4`. Only its files are reported and written.";
    "single" "Channel: that of a bundle without channels, where its project has others with channels; the JSON report always names it.";
    "skipped" "Summary: templates and binary files, which are left alone, and beside them, what a `.reversionignore` names. `--inspect` also lists the files left out by name.";
    "standard" "Channel: the fields and kinds that are stable. A target without a channel means it.";
    "stash" "The annotation `reversion.dev/stash`, in which `--stash` keeps lost values, so that a later conversion restores them.";
    "target" "The release that objects are converted to, passed with `--to` or named by the CRDs in the files.";
    "tightened" "Class of a change in `crd check`: less is accepted of what was there.";
    "to change" "Summary: objects that the conversion changes, and the files that they are in; `apply` writes them.";
    "to convert" "Summary of `detect`: objects with an apiVersion that the newest release serves, which has a more stable one or other fields.";
    "to do" "Number behind a finding, `(to do 3)`: that of the entry of `to do by hand` which says what remains to be done.";
    "to do by hand" "List at the end of a report: what remains to be done by hand at several places, once for all findings that need the same. `(to do 3)` behind a finding is the number of its entry.";
    "unchanged" "Outcome: the object is left unchanged: it is at the target already, or it is acknowledged that it is not.";
    "undetectable" "Subject in `matrix`: a change of meaning that no field shows, such as a new default.";
    "unresolved" "Severity and summary: something that is not converted, or that the target does not serve, stays as it is and can break or change what is applied. Exit code 1; change it by hand, or acknowledge it.";
    "value" "Subject in `matrix`: a value that a field can have in only one of the two releases.";
    "waiver" "An entry of a policy of `crd check` that accepts some findings, with a reason.";
    "warning" "Severity: something is probably wrong or has to be done by hand, but the conversion continues. It does not affect the exit code.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_unique() {
        assert!(GLOSSARY.is_sorted_by(|left, right| left.word < right.word));
    }
}
