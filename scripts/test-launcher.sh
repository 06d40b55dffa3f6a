#!/usr/bin/env bash
# Tests the launcher on a clean copy of this checkout: several starts at once build once, and whatever state the build and
# its cache are in, standard output carries the protocol and nothing else. Takes a few minutes; ends by itself.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
. "$root/scripts/find-jdk.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy="$work/a clean copy"
mkdir "$copy"
(cd "$root" && { git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [ ! -e "$file" ] || printf '%s\0' "$file"
done; } | tar -c --null -T - | tar -x -C "$copy")
passed=0

fail() {
  echo "test-launcher: FAILED: $1" >&2
  tail -n 30 "$work"/*.err >&2 || true
  exit 1
}
pass() {
  passed=$((passed + 1))
  echo "test-launcher: $1"
}

# A server of a few lines. Its answer to a call is as long as the last word of its command says.
cat >"$work/server" <<'SERVER'
#!/usr/bin/env bash
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%,*}
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"long","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}\n' "$id" ;;
    *'"tools/call"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
      head -c "$1" /dev/zero | tr '\0' a
      printf '"}]}}\n'
      ;;
  esac
done
SERVER
chmod +x "$work/server"

INITIALIZE='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'

# run <name> [<launcher>]: one start, one handshake. What it prints is in $work/<name>.out and .err.
run() {
  local name=$1 launcher=${2:-$copy/sluice} in
  mkfifo "$work/$name.in"
  "$launcher" run --state "$work/state" --session "$name" -- "$work/server" 10 \
    <"$work/$name.in" >"$work/$name.out" 2>"$work/$name.err" &
  local pid=$!
  exec {in}>"$work/$name.in"
  rm "$work/$name.in"
  printf '%s\n' "$INITIALIZE" >&"$in"
  until [ -s "$work/$name.out" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  exec {in}>&-
  wait "$pid" || fail "$name: exit code $?"
}

# checks that the output is the one answer of the handshake
protocol_only() {
  [ "$(wc -l <"$work/$1.out")" = 1 ] && [[ $(<"$work/$1.out") == '{"jsonrpc":"2.0","id":1,"result":{'*'}}' ]] ||
    fail "$1: standard output is not the protocol's: $(head -c 400 "$work/$1.out")"
}

builds() { cat "$work"/*.err | grep -c '^sluice: building' || true; }

# Several at once, on a clean copy in a folder with blanks in its name.
pids=()
for name in first second third fourth; do
  run "$name" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "one of four starts at once"; done
for name in first second third fourth; do protocol_only "$name"; done
[ "$(builds)" = 1 ] || fail "four starts at once built $(builds) times"
pass "four starts at once build once, and all answer"
rm -f "$work"/*.err

current() { sed -n 1p "$copy/.sluice/current${JAVA_HOME//\//%}"; }
dist() { echo "$copy/.sluice/dist/$(current)"; }

# The cache is in use, or the rest says nothing.
mapfile -t options <"$(dist)/options"
"$JAVA_HOME/bin/java" "${options[@]}" -XX:AOTMode=on dev.sluice.cli.Main --version >/dev/null 2>"$work/on.err" ||
  fail "the cache does not fit what it was made for"
ln -s "$copy/sluice" "$work/link"
run linked "$work/link"
protocol_only linked
[ "$(builds)" = 0 ] || fail "a start through a link built again"
pass "the cache is used; a start through a link builds nothing"

# A label scheme that does not ship with it.
(cd "$copy" && mvn -q -B -DskipTests -DskipTestCompile -Dspotless.apply.skip=true package -pl examples/attestation-scheme -am >&2)
type=example.review.data-review.v1
review='{"predicate":{"audience":"staff","authors":"staff"},"predicateType":"'$type'","subject":[]}'
digest=$(printf %s "$review" | "$copy/sluice" evidence digest --canonicalization jcs/rfc8785 -)
printf '{"content":[],"_meta":{"io.modelcontextprotocol/trust-annotations":{"sensitive":true,"evidenceRef":{"type":"%s","canonicalization":"jcs/rfc8785","digest":"%s","dev.sluice/record":%s}}}}' \
  "$type" "$digest" "$review" >"$work/result.json"
"$copy/sluice" annotations check "$work/result.json" | grep -q "is unknown-type" || fail "a type that nobody knows"
SLUICE_PLUGINS="$copy/examples/attestation-scheme/target/attestation-scheme.jar" \
  "$copy/sluice" annotations check "$work/result.json" | grep -q "is verified-unbound" || fail "a scheme among the plug-ins"
pass "a scheme in SLUICE_PLUGINS reads what nobody else does"

# From here on nothing needs compiling, so Maven's part is left out.
mkdir "$work/bin"
printf '#!/bin/sh\n' >"$work/bin/mvn"
chmod +x "$work/bin/mvn"
export PATH="$work/bin:$PATH"

cache=$(dist)/sluice.aot
cp "$cache" "$work/cache"
printf garbage | dd of="$cache" conv=notrunc status=none
run garbage_cache
protocol_only garbage_cache
head -c 100000 "$work/cache" >"$cache"
run short_cache
protocol_only short_cache
rm "$cache"
run no_cache
protocol_only no_cache
cp "$work/cache" "$cache"
touch "$(dist)"/lib/sluice-cli-*.jar
run stale_cache
protocol_only stale_cache
mv "$(dist)/native" "$work/native"
run no_library
protocol_only no_library
mv "$work/native" "$(dist)/native"
[ "$(builds)" = 0 ] || fail "a cache that does not fit made it build"
pass "without a cache, with a stale, short or spoiled one, and without SQLite's library, it runs, and says nothing on stdout"

# A JDK that is upgraded in its folder.
mkdir "$work/jdk"
for each in "$JAVA_HOME"/*; do ln -s "$each" "$work/jdk/"; done
rm "$work/jdk/release"
cp "$JAVA_HOME/release" "$work/jdk/release"
before=$JAVA_HOME
export JAVA_HOME="$work/jdk"
run other_jdk
protocol_only other_jdk
[ "$(builds)" = 1 ] || fail "another JDK: built $(builds) times"
echo 'UPGRADED="yes"' >>"$work/jdk/release"
run upgraded_jdk
protocol_only upgraded_jdk
[ "$(builds)" = 2 ] || fail "an upgraded JDK: built $(builds) times"
JAVA_HOME=$before
run first_jdk
protocol_only first_jdk
[ "$(builds)" = 2 ] || fail "the first JDK again: built $(builds) times"
JAVA_HOME="$work/nowhere" run no_such_jdk
protocol_only no_such_jdk
JAVA_TOOL_OPTIONS="-XX:+UseCompactObjectHeaders -Xlog:gc" run odd_options
protocol_only odd_options
rm -f "$work"/*.err
pass "another JDK, and one upgraded in its folder, has its own build; foreign options do not reach stdout"

# A newer source builds again, and what runs keeps what it was started from.
mkfifo "$work/running.in"
"$copy/sluice" run --state "$work/state" --session running -- "$work/server" 10 \
  <"$work/running.in" >"$work/running.out" 2>"$work/running.err" &
running=$!
exec {in}>"$work/running.in"
printf '%s\n' "$INITIALIZE" >&"$in"
until [ -s "$work/running.out" ]; do sleep 0.1; done
old=$(dist)
sleep 1.1
touch "$copy/cli/src/main/java/dev/sluice/cli/Main.java"
run newer_source
protocol_only newer_source
[ "$(builds)" = 1 ] || fail "a newer source: built $(builds) times"
[ "$old" != "$(dist)" ] && [ -d "$old/lib" ] || fail "a build took away what still runs"
printf '%s\n' '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}' \
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"long","arguments":{}}}' >&"$in"
until [ "$(wc -l <"$work/running.out")" = 3 ]; do
  kill -0 "$running" || fail "what ran did not outlive a build"
  sleep 0.1
done
exec {in}>&-
wait "$running"
sleep 1.1
touch "$copy/cli/src/main/java/dev/sluice/cli/Main.java"
run newer_still
[ ! -e "$old" ] || fail "a build that nobody runs is still there"
pass "a newer source builds again; a running one keeps its build, which goes after it"

# Long messages, with the heap that it has.
long() { # <name> <bytes of the answer> <command...>
  local name=$1 in out
  shift
  mkfifo "$work/$name.in" "$work/$name.fifo"
  "$copy/sluice" run --state "$work/state" --session "$name" -- "$@" <"$work/$name.in" >"$work/$name.fifo" 2>"$work/$name.err" &
  local pid=$!
  exec {in}>"$work/$name.in" {out}<"$work/$name.fifo"
  printf '%s\n' "$INITIALIZE" >&"$in"
  head -n 1 <&"$out" >/dev/null
  printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&"$in"
  {
    printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s' "$tool" "$arguments"
    head -c "$argument_bytes" /dev/zero | tr '\0' a
    printf '%s}}\n' "$arguments_end"
  } >&"$in"
  head -n 1 <&"$out" >"$work/$name.out"
  exec {in}>&- {out}<&-
  wait "$pid" || fail "$name: exit code $?"
}
tool=long arguments='{"a":"' argument_bytes=10 arguments_end='"}'
long long_answer "$work/server" 16000000
[ "$(wc -c <"$work/long_answer.out")" -gt 16000000 ] || fail "a long answer: $(head -c 400 "$work/long_answer.out")"
tool=send_email arguments='{"to":["ana@partner.example"],"subject":"s","body":"' argument_bytes=16000000 arguments_end='"}'
long long_call "$JAVA_HOME/bin/java" -cp "$(dist)/mail-server/*" dev.sluice.examples.mail.MailServer
[[ $(head -c 400 "$work/long_call.out") == '{"jsonrpc":"2.0","id":2,"result":{'* ]] || fail "a long call: $(head -c 400 "$work/long_call.out")"
pass "messages of 16 MB pass in both directions"

echo "test-launcher: all $passed passed"
