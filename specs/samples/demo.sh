#!/usr/bin/env bash
# The whole workflow on copies of the sample drive and the sample wiki, with prepared answers. First within the drive, and
# everything is put back; then into the wiki, where some of it cannot be put back and is confirmed as such.
# BIN is the folder of the command, WORK where everything is written.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
BIN=${BIN:-.venv/bin}
WORK=${WORK:-.demo}
SAMPLES=specs/samples
PYTHON=$BIN/python
case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in [zZ][hH]*) language=zh ;; *) language=en ;; esac

heading() {
  if [ "$language" = zh ]; then printf '\n== %s\n' "$1"; else printf '\n== %s\n' "$2"; fi
}

# Print a command as it can be typed, then do it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

files() { (cd "$WORK/$1" && find . \( -name .drive -o -name .wiki \) -prune -o "${@:2}") | LC_ALL=C sort; }
tree() { files "$1" -print | sed -e '/^\.$/d' -e '/\/\(node\|space\)\.yaml$/d' -e 's|^\./||'; }
contents() { files "$1" -type f -exec cksum {} +; }
indented() { awk -F/ '{ indent = "  "; for (i = 1; i < NF; i++) indent = indent "   "; print indent $NF }'; }

run() {
  show "$BIN/interpreter" run specs/topic_move_collector.yaml --profile specs/profiles/demo.yaml \
    --set "settings.root=$WORK/drive" --set "settings.wiki=$WORK/wiki" --home "$WORK/runs" "$@"
}

# The last answers are given by the second half: a run that waits for them ends with status 3.
half() {
  status=0
  run "$@" || status=$?
  if [ "$status" -ne 3 ]; then
    echo "expected a run that waits for its next answer (exit status 3), got $status" >&2
    exit 1
  fi
}

chmod -R u+w "$WORK" 2>/dev/null || true
rm -rf "$WORK"
"$PYTHON" "$SAMPLES/lay.py" "$WORK" --without-traps
tree drive >"$WORK/before"
contents drive >"$WORK/contents-before"
tree wiki >"$WORK/wiki-before"
for name in topic_move topic_wiki; do
  sed -n '/^verify_choice:/q;p' "$SAMPLES/${name}_answers.yaml" >"$WORK/$name.yaml"
done

heading '运行前的云空间' 'The drive before'
indented <"$WORK/before"

heading '第一次运行：只在云空间内移动，到移动后的核对为止' 'First run: within the drive, up to the check of what was moved'
half --input allow_cross_container_move=false --answers "$WORK/topic_move.yaml" --run-id demo

heading '移动后的云空间' 'The drive after the move'
tree drive | indented

heading '同一个运行继续：全部恢复' 'The same run goes on: everything is put back'
show "$BIN/interpreter" resume demo --answers "$SAMPLES/topic_move_answers.yaml" --home "$WORK/runs"
tree drive >"$WORK/after"
contents drive >"$WORK/contents-after"

heading '恢复后与运行前比较：名称和内容' 'After putting back, compared with before: names and contents'
show diff "$WORK/before" "$WORK/after"
show diff "$WORK/contents-before" "$WORK/contents-after"
if [ "$language" = zh ]; then echo '没有差别'; else echo 'no difference'; fi

heading '运行前的知识库' 'The wiki before'
indented <"$WORK/wiki-before"

heading '第二次运行：从云空间移入知识库，需要更长的确认短语' 'Second run: from the drive into the wiki, which takes the longer phrase'
half --answers "$WORK/topic_wiki.yaml" --run-id demo-wiki

heading '移动后的知识库' 'The wiki after the move'
tree wiki | indented

heading '同一个运行继续：能移回的移回，其余留在知识库' 'The same run goes on: what can go back does, the rest stays'
show "$BIN/interpreter" resume demo-wiki --answers "$SAMPLES/topic_wiki_answers.yaml" --home "$WORK/runs"
tree wiki >"$WORK/wiki-after"

heading '知识库的变化：移入的文档留在上一级节点下' 'What is new in the wiki: the documents that came stay below the node above'
show diff "$WORK/wiki-before" "$WORK/wiki-after" || true

heading '再看一遍这些运行' 'Look at the runs again'
echo "$BIN/interpreter runs --home $WORK/runs"
echo "$BIN/interpreter show demo-wiki --home $WORK/runs"
