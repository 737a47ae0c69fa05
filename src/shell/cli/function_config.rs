//! The `functionConfig` of a KRM function: what the flags of the other commands set.
//!
//! It is a ConfigMap whose keys are the names of flags, or an object of the kind `Reversion`, whose `spec` has them in camel case.
//!
//! Invariant: every key is known and every value is of its form, or the function fails.

use anyhow::{Context, Result, bail, ensure};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use serde_json::{Map, Value};

use super::args::FunctionArgs;
use super::settable::options_in_function;
use crate::knowledge::pack::near;
use crate::shell::report::visible;

/// The kind of a configuration that is no ConfigMap.
const API_VERSION: &str = "reversion.dev/v1alpha1";
const KIND: &str = "Reversion";

/// How the keys and values of a configuration are written.
#[derive(Clone, Copy)]
enum Form {
    /// As texts under the names of flags, a list separated by commas or line breaks.
    ConfigMap,
    /// As YAML in camel case.
    Own,
}

impl Form {
    fn key(self, flag: &str) -> String {
        let mut words = flag.split('-');
        let first = words.next().unwrap_or_default().to_owned();
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        match self {
            Self::ConfigMap => flag.to_owned(),
            Self::Own => words.fold(first, |key, word| key + &capital(word)),
        }
    }

    fn switch(self, value: &Value) -> Option<bool> {
        match (self, value) {
            (Self::ConfigMap, Value::String(text)) => text.trim().parse().ok(),
            (Self::Own, Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    fn list(self, value: &Value) -> Option<Vec<String>> {
        let texts = |items: &Vec<Value>| items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        match (self, value) {
            (Self::ConfigMap, Value::String(text)) => {
                let items = text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty());
                Some(items.map(str::to_owned).collect())
            }
            (Self::Own, Value::Array(items)) => texts(items),
            _ => None,
        }
    }

    const fn says(self, is_switch: bool) -> &'static str {
        match (self, is_switch) {
            (Self::ConfigMap, false) => "a text, its items separated by commas",
            (Self::ConfigMap, true) => "\"true\" or \"false\", in quotes",
            (Self::Own, false) => "a list of texts",
            (Self::Own, true) => "true or false",
        }
    }

    /// Writes a setting as flags.
    fn flags(self, name: &str, is_switch: bool, value: &Value) -> Option<Vec<String>> {
        match is_switch {
            true => self.switch(value).map(|is_on| Vec::from_iter(is_on.then(|| format!("--{name}")))),
            false => Some(self.list(value)?.iter().map(|item| format!("--{name}={item}")).collect()),
        }
    }
}

/// Reads the `functionConfig`.
///
/// # Errors
/// What is unknown or missing in it.
pub(super) fn read(config: &Value) -> Result<FunctionArgs> {
    let (form, body, settings) = body(config)?;
    let options = options_in_function();
    let keys: Vec<(String, &Arg)> =
        options.iter().filter_map(|option| Some((form.key(option.get_long()?), option))).collect();
    let mut flags = Vec::new();
    for (key, value) in settings {
        let option = keys.iter().find(|(known, _)| known == key);
        let (_, option) = option.with_context(|| unknown(body, key, keys.iter().map(|(known, _)| known.as_str())))?;
        let is_switch = matches!(option.get_action(), ArgAction::SetTrue);
        let written = form.flags(option.get_long().unwrap_or_default(), is_switch, value);
        flags.extend(written.with_context(|| format!("{body}.{key} must be {}", form.says(is_switch)))?);
    }
    let command = FunctionArgs::augment_args(Command::new("fn").no_binary_name(true));
    // No variable adds to what the configuration says.
    let matches = command.mut_args(|arg| arg.env(None)).try_get_matches_from(flags)?;
    Ok(FunctionArgs::from_arg_matches(&matches)?)
}

fn unknown<'k>(body: &str, key: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    match near(key, known.clone()) {
        Some(near) => format!("{body} has the unknown key `{}`: did you mean {near}?", visible(key)),
        None => {
            let known: Vec<&str> = known.collect();
            format!("{body} has the unknown key `{}`; there are: {}", visible(key), known.join(", "))
        }
    }
}

/// Returns the form of a configuration, what holds its settings, and these.
fn body(config: &Value) -> Result<(Form, &'static str, &Map<String, Value>)> {
    let word = |key: &str| config.get(key).and_then(Value::as_str).unwrap_or_default();
    let (form, body) = match (word("apiVersion"), word("kind")) {
        ("v1", "ConfigMap") => (Form::ConfigMap, "data"),
        (API_VERSION, KIND) => (Form::Own, "spec"),
        (version, kind) => bail!(
            "it is `{} {}`; write a ConfigMap of v1, or a {KIND} of {API_VERSION}",
            visible(version),
            visible(kind)
        ),
    };
    let others = config.as_object().into_iter().flat_map(Map::keys);
    let unknown = others.into_iter().find(|key| !["apiVersion", "kind", "metadata", body].contains(&key.as_str()));
    ensure!(unknown.is_none(), "it has the unknown key `{}`", visible(unknown.map_or("", String::as_str)));
    let settings = config.get(body).and_then(Value::as_object);
    Ok((form, body, settings.with_context(|| format!("it has no `{body}`; write at least `{body}.to`"))?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config_map(data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "f"}, "data": data})
    }

    fn own(spec: &Value) -> Value {
        json!({"apiVersion": "reversion.dev/v1alpha1", "kind": "Reversion", "spec": spec})
    }

    #[test]
    fn both_forms_say_the_same() {
        let flags = json!({
            "to": "gateway-api@1.4,\n  ngf@2.5\n", "from": "ngf@2.0", "set": "ngf.namespace=a", "allow-loss": "all",
            "stash": "true", "repair": "true", "keep-api-version": "true", "unpaired": "true", "exit-zero": "true",
        });
        let spec = json!({
            "to": ["gateway-api@1.4", "ngf@2.5"], "from": ["ngf@2.0"], "set": ["ngf.namespace=a"], "allowLoss": ["all"],
            "stash": true, "repair": true, "keepApiVersion": true, "unpaired": true, "exitZero": true,
        });
        for config in [config_map(&flags), own(&spec)] {
            let FunctionArgs { target, output } = read(&config).unwrap();
            assert_eq!(target.to, ["gateway-api@1.4", "ngf@2.5"]);
            assert_eq!((target.from, target.set), (vec!["ngf@2.0".to_owned()], vec!["ngf.namespace=a".to_owned()]));
            assert_eq!(target.allow_loss, ["all"]);
            assert_eq!(
                [target.stash, target.repair, target.keep_api_version, target.unpaired, output.exit_zero],
                [true; 5]
            );
        }
    }

    #[test]
    fn what_is_unknown_is_an_error() {
        let failures = [
            (config_map(&json!({"two": "x"})), "data has the unknown key `two`: did you mean to?"),
            (own(&json!({"allowLos": []})), "spec has the unknown key `allowLos`: did you mean allowLoss?"),
            (own(&json!({"to": "gateway-api@1.4"})), "spec.to must be a list of texts"),
            (own(&json!({"to": [1]})), "spec.to must be a list of texts"),
            (config_map(&json!({"stash": "yes"})), "data.stash must be \"true\" or \"false\", in quotes"),
            (own(&json!(null)), "it has no `spec`; write at least `spec.to`"),
            (json!({"apiVersion": "v1", "kind": "ConfigMap", "dta": {}}), "it has the unknown key `dta`"),
            (json!({}), "it is ` `; write a ConfigMap of v1, or a Reversion of reversion.dev/v1alpha1"),
        ];
        for (config, message) in failures {
            assert_eq!(read(&config).unwrap_err().to_string(), message);
        }
        let unlike = read(&config_map(&json!({"colour": "x"}))).unwrap_err().to_string();
        assert!(unlike.starts_with("data has the unknown key `colour`; there are: to, from, set, allow-loss, "));
    }
}
