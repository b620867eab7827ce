#!/usr/bin/env bash
# The whole workflow on a copy of the sample folder, with prepared answers: it moves, and then puts everything back.
# BIN is the folder of the command, WORK where everything is written.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
BIN=${BIN:-.venv/bin}
WORK=${WORK:-.demo}
SAMPLES=specs/samples
case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in [zZ][hH]*) language=zh ;; *) language=en ;; esac

heading() {
  if [ "$language" = zh ]; then printf '\n== %s\n' "$1"; else printf '\n== %s\n' "$2"; fi
}

# Print a command as it can be typed, then do it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

drive() { (cd "$WORK/drive" && find . -name .drive -prune -o "$@") | LC_ALL=C sort; }
tree() { drive -print | sed -e '/^\.$/d' -e 's|^\./||'; }
contents() { drive -type f -exec cksum {} +; }
indented() { awk -F/ '{ indent = "  "; for (i = 1; i < NF; i++) indent = indent "   "; print indent $NF }'; }

rm -rf "$WORK"
mkdir -p "$WORK"
cp -R "$SAMPLES/drive" "$WORK/drive"
tree >"$WORK/before"
contents >"$WORK/contents-before"

heading '运行前的文件夹' 'The folder before'
indented <"$WORK/before"

heading '运行：回答来自文件，到移动后的核对为止' 'A run: its answers come from a file, up to the check of what was moved'
sed -n '/^verify_choice:/q;p' "$SAMPLES/topic_move_answers.yaml" >"$WORK/answers.yaml"
status=0
show "$BIN/interpreter" run specs/topic_move_collector.yaml --profile specs/profiles/demo.yaml \
  --set "settings.root=$WORK/drive" --answers "$WORK/answers.yaml" --home "$WORK/runs" --run-id demo || status=$?
if [ "$status" -ne 3 ]; then
  echo "expected a run that waits for its next answer (exit status 3), got $status" >&2
  exit 1
fi

heading '移动后的文件夹' 'The folder after the move'
tree | indented

heading '同一个运行继续：全部恢复' 'The same run goes on: everything is put back'
show "$BIN/interpreter" resume demo --answers "$SAMPLES/topic_move_answers.yaml" --home "$WORK/runs"
tree >"$WORK/after"
contents >"$WORK/contents-after"

heading '恢复后与运行前比较：名称和内容' 'After putting back, compared with before: names and contents'
show diff "$WORK/before" "$WORK/after"
show diff "$WORK/contents-before" "$WORK/contents-after"
if [ "$language" = zh ]; then echo '没有差别'; else echo 'no difference'; fi

heading '再看一遍这个运行' 'Look at the run again'
echo "$BIN/interpreter show demo --home $WORK/runs"
