#!/bin/sh
# The main job on a copy of sample_home: learned, reviewed, approved, used, explained by git log.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R "$here/sample_home" "$place/alice"
export ALICE_HOME="$place/alice" ALICE_ACTOR=user ALICE_NOW=2026-02-20T09:30:00Z

run() {
    printf '\n\033[1m$ %s\033[0m\n' "$*"
    "$@"
}

say() { printf '\n# %s\n' "$*"; }

field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

say "A home that a person and an agent have filled; its history begins now."
run alice-exp init
run alice-exp namespace list

say "The agent learns something; it becomes a candidate and nothing more."
run alice-exp --actor agent:demo memorize "use git switch to change branches; checkout also throws work away" \
    --when "changing branches in a repository" --type rule --evidence "checkout overwrote an unsaved file"
run alice-exp --actor agent:demo remember "the agent says so" || echo "(exit $?: only a person may)"

say "The person says something; that is trusted at once."
run alice-exp remember "我喜欢吃辣" --when "选餐馆"

say "The daily minute: what waits, and the decisions."
run alice-exp heartbeat
run alice-exp approve 1 2 --yes
run alice-exp reject 3 --reason "周五下午仍然不发布"

say "What was approved is found and used; what happened raises or lowers it."
found=$(alice-exp recall "rerun failed tests" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["matches"][0]["id"])')
run alice-exp recall "rerun failed tests" --explain
run alice-exp outcome "$found" ok --scenario "nightly build"
run alice-exp outcome "$found" fail --scenario "a fresh clone"
run alice-exp outcome "$found" fail --scenario "a fresh clone"

say "Why is it believed? Every act that touched it, from git."
run alice-exp why "$found"
run alice-exp undo --yes
run alice-exp log --limit 8

say "And git alone tells the same."
run git -C "$ALICE_HOME/experiences" log --max-count 4 --format='%h %an %s'
run git -C "$ALICE_HOME/experiences" status --short --branch
