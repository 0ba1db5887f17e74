#!/bin/sh
# The main job on a copy of sample_home, in the terminal's language: a lesson is learned, approved, used, doubted, explained.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R "$here/sample_home" "$place/alice"
export ALICE_HOME="$place/alice" ALICE_ACTOR=user ALICE_NOW=2026-02-20T09:30:00Z

case "${ALICE_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}}" in
zh*) chinese=yes ;;
*) chinese= ;;
esac

say() { # English, Chinese
    if [ "$chinese" ]; then printf '\n# %s\n' "$2"; else printf '\n# %s\n' "$1"; fi
}

run() {
    shown=
    for word in "$@"; do
        case "$word" in *' '*|*'；'*) shown="$shown '$word'" ;; *) shown="$shown $word" ;; esac
    done
    printf '\033[1m$%s\033[0m\n' "$shown"
    "$@"
}

if [ "$chinese" ]; then
    lesson="切换分支用 git switch；git checkout 可能覆盖还没保存的修改" when="在仓库里切换分支"
    quote="checkout 覆盖了一个没保存的文件" task="在仓库里切换到别的分支" where="旧的镜像" yes="同意"
else
    lesson="change branches with git switch; git checkout may overwrite unsaved work" when="changing branches in a repository"
    quote="checkout overwrote an unsaved file" task="changing to a branch of the repository" where="an old image" yes="approve"
fi

say "A home that a person and an agent have filled." "一个人和智能体已经用了一阵的家。"
run alice-exp init
run alice-exp status

say "The agent learns a lesson. It may propose, no more." "智能体学到一条经验。它只能提议。"
run alice-exp --actor agent:demo memorize "$lesson" --when "$when" --type rule --evidence "$quote" --lived >"$place/said"
cat "$place/said"
found=$(sed -n 's/^\(exp-[a-z2-9]*\) .*/\1/p' "$place/said")
run alice-exp --actor agent:demo approve "$found" --yes || echo "(exit $?)"

say "The day's report shows the person what the agents propose; a sentence answers it, or 'alice-exp review' by keys." \
    "每天的报告把提议给人看；用一句话回答，或用 alice-exp review 按键逐条回答。"
run alice-exp heartbeat --by agent:demo
run alice-exp reply "$yes $found" --yes

say "From now on it is told." "从此它就会被告知。"
run alice-exp recall "$task" --top 3

say "The agent asks what to apply, and reports what came of it." "智能体问该用什么，再报告结果。"
run alice-exp --actor agent:demo decide "$task"
run alice-exp --actor agent:demo outcome "$found" ok --scenario "$where"

say "Then it fails, day after day, in one place." "后来它在同一个地方一再失败。"
for day in 21 22 23 24 25 26; do
    ALICE_NOW=2026-02-${day}T09:30:00Z alice-exp -q --actor agent:demo outcome "$found" fail --scenario "$where"
done
export ALICE_NOW=2026-02-27T09:30:00Z

say "It rests until the person says whether it still holds; why, it can tell." "它先停用，等人说是否仍然成立；为什么，它说得清。"
run alice-exp status
run alice-exp why "$found"

say "Every act is one commit." "每件事都是一次 git 提交。"
run git -C "$ALICE_HOME/experiences" log --max-count 5 --format='%h %an %s'
