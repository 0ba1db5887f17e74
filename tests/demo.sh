#!/bin/sh
# The main job in a fresh home, in the terminal's language: a lesson is learned, approved, used, doubted, explained.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# What is longer than the screen would wait in a pager.
export ALICE_HOME="$place/alice" ALICE_ACTOR=user ALICE_NOW=2026-02-20T09:30:00Z PAGER=cat ALICE_PAGER=cat GIT_PAGER=cat
# No project's: what is learned here would hold in that one alone.
cd /

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

review() { # KEYS: 'alice-exp review' in a terminal of its own, with these keys pressed
    printf '\033[1m$ alice-exp review\033[0m\n'
    python3 - "$1" <<'KEYS'
import os, pty, sys
keys, said = list(sys.argv[1]), b""
child, terminal = pty.fork()
if not child:
    os.environ |= {"COLUMNS": "80", "TERM": "dumb"}
    os.execlp("alice-exp", "alice-exp", "review")
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    os.write(1, piece.replace(b"\r", b""))
    said += piece
    if keys and said.endswith(b"[?] "):
        os.write(terminal, keys.pop(0).encode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
KEYS
}

if [ "$chinese" ]; then
    own="结论放在最前面" own_when="写报告"
    lesson="切换分支用 git switch；git checkout 可能覆盖还没保存的修改" when="在仓库里切换分支"
    quote="checkout 覆盖了一个没保存的文件" task="在仓库里切换到别的分支" where="旧的镜像" yes="同意"
    other="提交前运行 make lint" other_when="提交代码" third="测试失败就全部重跑三遍" third_when="测试失败"
else
    own="the result stands first" own_when="writing a report"
    lesson="change branches with git switch; git checkout may overwrite unsaved work" when="changing branches in a repository"
    quote="checkout overwrote an unsaved file" task="changing to a branch of the repository" where="an old image" yes="approve"
    other="run make lint before a commit" other_when="committing code" third="run everything three times" third_when="a test fails"
fi

say "A person's own word is trusted at once." "人自己说的话立刻可信。"
run alice-exp init
run alice-exp remember "$own" --when "$own_when"

say "The agent learns. It may propose, no more." "智能体学到东西。它只能提议。"
run alice-exp --actor agent:demo memorize "$lesson" --when "$when" --type rule --evidence "$quote" --lived >"$place/said"
cat "$place/said"
found=$(sed -n 's/^\(exp-[a-z2-9]*\) .*/\1/p' "$place/said")
run alice-exp --actor agent:demo memorize "$other" --when "$other_when" --type rule
export ALICE_NOW=2026-02-20T09:31:00Z
run alice-exp --actor agent:demo memorize "$third" --when "$third_when" --type rule
run alice-exp --actor agent:demo approve "$found" --yes || echo "(exit $?)"

say "The day's report shows the person what the agents propose; a sentence answers it." \
    "每天的报告把提议给人看；用一句话回答。"
run alice-exp heartbeat
run alice-exp reply "$yes $found" --yes

say "Or one key each: a approves, r rejects." "也可以一键一条：a 同意，r 拒绝。"
review ar

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
