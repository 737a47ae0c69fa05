#!/bin/sh
# Whether a tag can be released: release-check.sh TAG OWNER/NAME. The version of Cargo.toml, the newest heading of CHANGELOG.md and the tag agree,
# and Cargo.toml names this repository. Prints the part of CHANGELOG.md about the version.
set -eu
cd "$(dirname "$0")/.."
if [ $# -ne 2 ]; then
    echo 'usage: release-check.sh TAG OWNER/NAME' >&2
    exit 2
fi
tag=$1 repository=$2

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
heading=$(sed -n 's/^## \[\([0-9].*\)\] - [0-9]\{4\}-[0-9]\{2\}-[0-9]\{2\}$/\1/p' CHANGELOG.md | head -n 1)
line="repository = \"https://github.com/$repository\""
failed=0
problem() {
    echo "release-check.sh: $1" >&2
    failed=1
}

[ "$tag" = "v$version" ] || problem "the tag is $tag, and Cargo.toml has version $version"
grep -qF "reversion-v$version-" docs/src/install.md || problem "docs/src/install.md names another version: run packaging/bump.sh $version"
[ "$heading" = "$version" ] || problem "the newest dated heading of CHANGELOG.md names '$heading'; write: ## [$version] - YEAR-MONTH-DAY"
grep -qxF "$line" Cargo.toml || problem "Cargo.toml does not name this repository; write below description: $line"
! grep -qF OWNER Cargo.toml || problem 'the address of the book in Cargo.toml is a placeholder: write it into homepage'
[ "$failed" = 0 ] || exit 1
sed -n "/^## \[$version\]/,/^## /p" CHANGELOG.md | sed '1d;/^## /d'
