#!/bin/sh
# `command: migrate`: runs `reversion apply`, commits the changes to INPUT_BRANCH, and opens a pull request or updates the open one.
# What is held back is listed in its text. The work tree is left as it was.
set -eu
# shellcheck source=packaging/action/common.sh
. "$(dirname "$0")/common.sh"

branch=${INPUT_BRANCH:-reversion/migrate}
base=${INPUT_BASE:-${GITHUB_BASE_REF:-${GITHUB_REF_NAME:-}}}
body=$folder/body.md
# A commit with this trailer is ours to replace.
trailer='Made-by: reversion migrate'

[ -n "$base" ] || fail 'no base branch: pass the input base'
[ "$branch" != "$base" ] || fail "the branch of the pull request and its base are both $branch"
start=$(git rev-parse --verify --quiet HEAD) || fail 'the repository has no commit'
git diff --quiet HEAD -- || fail 'the work tree has uncommitted changes'
# The pull request holds the migration and nothing else, so it starts from its base: not from a tag, or the merge commit of a pull request.
tip=$(git ls-remote origin "refs/heads/$base" | cut -f 1)
[ -n "$tip" ] || fail "the base $base is not a branch of the remote: pass the input base"
[ "$tip" = "$start" ] || fail "the checked-out commit is not the newest one of $base: pass ref: $base to actions/checkout"

run apply --yes
if [ -f "$report" ]; then
    reversion report merge "$report" --format markdown --output-file "$body" 2>/dev/null || :
    cat "$body" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
case $code in
0 | 1) ;;
*) exit "$code" ;;
esac
if git diff --quiet HEAD --; then
    printf 'Nothing to change; no pull request.\n'
    exit 0
fi

targets=$(sed -n '/^  "targets"/,/]/s/^    "\(.*\)",\{0,1\}$/\1/p' "$report" | paste -s -d ' ' -)
title=${INPUT_TITLE:-Migrate manifests to $targets}
name=$(git config user.name || printf 'github-actions[bot]')
email=$(git config user.email || printf '41898282+github-actions[bot]@users.noreply.github.com')
git add --update :/
tree=$(git write-tree)
commit=$(printf '%s\n\n%s\n' "$title" "$trailer" |
    GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$email GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email \
        git commit-tree -p "$start" "$tree")
git reset --hard --quiet "$start"

remote=$(git ls-remote origin "refs/heads/$branch" | cut -f 1)
if [ -n "$remote" ]; then
    git fetch --quiet origin "refs/heads/$branch"
    git log -1 --format=%B "$remote" | grep -qxF "$trailer" ||
        fail "the last commit of $branch is not of this action: merge or delete the branch, or pass another one"
fi
if [ -n "$remote" ] && [ "$(git log -1 --format='%T %P' "$remote")" = "$tree $start" ]; then
    printf 'The branch %s is up to date.\n' "$branch"
else
    git push --quiet --force-with-lease="refs/heads/$branch:$remote" origin "$commit:refs/heads/$branch"
fi

url=$(gh pr list --head "$branch" --base "$base" --state open --json url --jq '.[0].url // empty')
if [ -n "$url" ]; then
    gh pr edit "$url" --title "$title" --body-file "$body" >/dev/null
else
    url=$(gh pr create --head "$branch" --base "$base" --title "$title" --body-file "$body")
fi
printf '%s\n' "$url"
output branch "$branch"
output pull-request "$url"
