#!/bin/sh
# Makes the archive of one platform: archive.sh VERSION TARGET PROGRAM FOLDER writes FOLDER/reversion-vVERSION-TARGET.tar.gz (.zip for Windows).
# PROGRAM is run for its completions and manual pages.
set -eu

if [ $# -ne 4 ]; then
    echo 'usage: archive.sh VERSION TARGET PROGRAM FOLDER' >&2
    exit 2
fi
version=$1 target=$2 program=$3 folder=$4
name=reversion-v$version-$target
top=$folder/$name
here=$(dirname "$0")

rm -rf "$top"
mkdir -p "$top/completions" "$top/man"
case $target in
*windows*) cp "$program" "$top/reversion.exe" ;;
*) cp "$program" "$top/reversion" ;;
esac
cp "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$here/../README.md" "$here/../CHANGELOG.md" "$top/"
"$program" completion bash >"$top/completions/reversion.bash"
"$program" completion zsh >"$top/completions/_reversion"
"$program" completion fish >"$top/completions/reversion.fish"
"$program" completion powershell >"$top/completions/_reversion.ps1"
"$program" completion elvish >"$top/completions/reversion.elv"
"$program" man "$top/man"
cd "$folder"
case $target in
*windows*) 7z a -bso0 -tzip "$name.zip" "$name" ;;
*) tar -czf "$name.tar.gz" "$name" ;;
esac
rm -r "$name"
