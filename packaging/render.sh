#!/bin/sh
# Fills in the krew manifest and the Homebrew formula: render.sh VERSION OWNER/NAME SHA256SUMS FOLDER writes FOLDER/reversion.yaml and
# FOLDER/reversion.rb. A checksum that SHA256SUMS does not have is an error.
set -eu

if [ $# -ne 4 ]; then
    echo 'usage: render.sh VERSION OWNER/NAME SHA256SUMS FOLDER' >&2
    exit 2
fi
version=$1 repository=$2 sums=$3 folder=$4
here=$(dirname "$0")
mkdir -p "$folder"
for template in "$here/krew/reversion.yaml" "$here/homebrew/reversion.rb"; do
    script="s|@VERSION@|$version|g
s|@REPOSITORY@|$repository|g"
    while IFS= read -r target; do
        sum=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]reversion-v$version-$target\..*/\1/p" "$sums" | head -n 1)
        if [ -z "$sum" ]; then
            echo "render.sh: $sums has no archive of version $version for $target" >&2
            exit 1
        fi
        script="$script
s|@SHA256:$target@|$sum|g"
    done <<EOF
$(sed -n 's/.*@SHA256:\(.*\)@.*/\1/p' "$template")
EOF
    sed "$script" "$template" >"$folder/$(basename "$template")"
done
