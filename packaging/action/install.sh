#!/bin/sh
# Puts `reversion` on the PATH: downloads the archive of a release, compares its checksum, unpacks it. INPUT_VERSION is a version, `latest`,
# `installed` (the program is there already), or empty: the version of the action itself if that is a tag, else `latest`.
set -eu

fail() {
    printf '::error title=reversion::%s\n' "$1"
    exit 2
}

# Prints the name of the platform as Rust calls it.
target() {
    case ${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)} in
    Linux-X64 | Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64 | Linux-aarch64) echo aarch64-unknown-linux-musl ;;
    macOS-X64 | Darwin-x86_64) echo x86_64-apple-darwin ;;
    macOS-ARM64 | Darwin-arm64) echo aarch64-apple-darwin ;;
    Windows-*) echo x86_64-pc-windows-msvc ;;
    *) fail "there is no archive for ${RUNNER_OS:-$(uname -s)} ${RUNNER_ARCH:-$(uname -m)}; install reversion with cargo and pass version: installed" ;;
    esac
}

# Downloads a file: fetch URL FILE.
fetch() {
    curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" || fail "cannot download $1"
}

version=${INPUT_VERSION:-}
if [ "$version" = installed ]; then
    command -v reversion >/dev/null || fail 'version is installed, and reversion is not on the PATH'
    exit 0
fi
# A runner keeps an action in .../_actions/OWNER/NAME/REF.
case ${GITHUB_ACTION_PATH:-} in
*_actions?*)
    # shellcheck disable=SC1003 # A backslash, of Windows.
    place=$(printf '%s' "${GITHUB_ACTION_PATH#*_actions?}" | tr '\\' '/')
    ;;
*) place= ;;
esac
if [ -z "$version" ]; then
    case ${place#*/*/} in
    v[0-9]*.[0-9]*.[0-9]*) version=${place#*/*/} ;;
    *) version=latest ;;
    esac
fi
repository=${INPUT_REPOSITORY:-$(printf '%s' "$place" | cut -d / -f 1,2)}
[ -n "$repository" ] || fail 'which repository has the releases? pass the input repository'
releases=${REVERSION_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$repository/releases}
folder=${RUNNER_TEMP:-${TMPDIR:-.}}/reversion
mkdir -p "$folder/bin"
cd "$folder"
folder=$(pwd)

case $version in
latest) from=$releases/latest/download ;;
*) from=$releases/download/v${version#v} ;;
esac
fetch "$from/SHA256SUMS" SHA256SUMS
triple=$(target)
archive=$(sed -n "s/^[0-9a-f]* [ *]\(reversion-v.*-$triple\.[a-z.]*\)\$/\1/p" SHA256SUMS | head -n 1)
[ -n "$archive" ] || fail "SHA256SUMS of $from has no archive for $triple"
fetch "$from/$archive" "$archive"
if command -v sha256sum >/dev/null; then sum='sha256sum --check --quiet -'; else sum='shasum -a 256 --check --quiet -'; fi
grep -F "$archive" SHA256SUMS | $sum >&2 || fail "the checksum of $archive is wrong"
case $archive in
*.zip) unzip -q -o "$archive" ;;
*) tar -xzf "$archive" ;;
esac
top=${archive%.tar.gz}
top=${top%.zip}
mv -f "$top"/reversion* bin/
chmod +x bin/reversion*
bin/reversion --version
# The runner takes paths of its own system.
if command -v cygpath >/dev/null; then cygpath -w "$folder/bin"; else printf '%s\n' "$folder/bin"; fi >>"${GITHUB_PATH:-/dev/null}"
