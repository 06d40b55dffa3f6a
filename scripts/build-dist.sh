#!/usr/bin/env bash
# Builds what the launcher runs into a new folder in .sluice/dist, then names that in .sluice/current...: jars, the options
# of java, SQLite's library, the demo's server, and an AOT cache. A new folder each time, since running wrappers use the old
# one, and since Maven's own target folders change under a cache that must fit its jars.
# Everything is written to standard error. The launcher calls this, and holds the lock on .sluice/build.lock.
set -euo pipefail
exec >&2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$root/scripts/find-jdk.sh"
name=$(date +%Y%m%d-%H%M%S)-$$
dist=$root/.sluice/dist/$name

command -v mvn >/dev/null || { echo "sluice: Maven is needed to build; install it (\`mvn\` must be on the PATH)"; exit 1; }
echo "sluice: building (once; the first time downloads libraries)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/started"
# Formatting would change the sources, and so ask for another build.
(cd "$root" && mvn -q -B -DskipTests -DskipTestCompile -Dspotless.apply.skip=true package -pl cli,examples/mail-server -am 9>&-)

mkdir -p "$dist/mail-server" "$dist/native"
cp -R "$root/cli/target/dist/lib" "$dist/lib"
cp "$root/examples/mail-server/target/mail-server.jar" "$root"/examples/mail-server/target/lib/*.jar "$dist/mail-server"
class_path=$(printf '%s:' "$dist"/lib/*.jar)
class_path=${class_path%:}

# The driver would unpack its library at every start. Where it is not found here, it does.
sqlite=$(printf '%s\n' "$dist"/lib/sqlite-jdbc-*.jar)
system=$("$JAVA_HOME/bin/java" -cp "$class_path" org.sqlite.util.OSInfo)
(cd "$work" && "$JAVA_HOME/bin/jar" --extract --file "$sqlite" "org/sqlite/native/$system") &&
  cp "$work/org/sqlite/native/$system"/* "$dist/native" || echo "sluice: no SQLite library for \`$system\` was found; starting will be slower"

# What any sluice runs with. Standard output is the protocol's: the JVM's own words go to standard error, warnings nowhere.
# Out of memory, a thread of the guard may be gone: then there must be no process that goes on without it.
common=(-XX:+DisplayVMOutputToStderr -Xlog:disable -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
  "-Dorg.sqlite.lib.path=$dist/native" "-Dsluice.mail-server=$dist/mail-server/*")
# One that a host starts, many times a day, and lets wait most of the time: quick to start, small. The heap begins small
# and may grow, for long messages.
quick=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms16m -XX:-UsePerfData)
printf '%s\n' "${common[@]}" -cp "$class_path" >"$dist/gateway-options"

# An AOT cache makes starting fast. It is made on one run of what `sluice run` does: a session is taken up again, then lists,
# calls allowed and denied, a request that is no call. Without the cache all works, slower; one that does not fit the JDK or
# the jars is left alone by the JVM.
ask() {
  local answer
  printf '%s\n' "$1" >&"$to" && IFS= read -r -t 60 answer <&"$from"
}
train() {
  local from to pid answered=true
  coproc server {
    exec "$JAVA_HOME/bin/java" "${common[@]}" "${quick[@]}" "$@" -cp "$class_path" dev.sluice.cli.Main \
      run --policy "$work/policy.yaml" --state "$work/state" --session training -- \
      "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$dist/mail-server/*" \
      dev.sluice.examples.mail.MailServer 2>>"$work/log" 9>&-
  }
  # Under names of our own: bash takes its away when the process ends.
  pid=$server_PID
  exec {from}<&"${server[0]}" {to}>&"${server[1]}"
  exec {server[0]}<&- {server[1]}>&-
  ask '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"training","version":"1"}}}' &&
    printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&"$to" &&
    ask '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}' &&
    ask '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_inbox","arguments":{}}}' &&
    ask '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_mail","arguments":{"id":"m1"}}}' &&
    ask '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"send_email","arguments":{"to":["a@b.example"],"subject":"s","body":"b"}}}' &&
    ask '{"jsonrpc":"2.0","id":6,"method":"resources/list","params":{}}' || answered=false
  exec {to}>&- # it ends with its input, and writes the cache then
  wait "$pid" || answered=false
  exec {from}<&-
  $answered
}
trap '' PIPE # where it ends early, a word to it fails, and not this script
cp "$root/cli/src/main/resources/dev/sluice/cli/demo.yaml" "$work/policy.yaml"
if train && train "-XX:AOTCacheOutput=$dist/sluice.aot" && [ -s "$dist/sluice.aot" ]; then
  quick+=("-XX:AOTCache=$dist/sluice.aot")
else
  echo "sluice: making the AOT cache failed; starting will be slower"
  rm -f "$dist/sluice.aot"
fi
printf '%s\n' "${common[@]}" "${quick[@]}" -cp "$class_path" >"$dist/options"

current=$root/.sluice/current${JAVA_HOME//\//%}
printf '%s\n%s\n%s\n%s' "$name" "$root" "$JAVA_HOME" "$jdk_release" >"$work/current"
touch -r "$work/started" "$work/current" # sources that changed while it was built are newer
cp -p "$work/current" "$current.new"
mv "$current.new" "$current"

# Earlier builds go: those that no JDK has as its own, and nobody runs. The rest goes after a later build.
declare -A wanted=()
for each in "$root"/.sluice/current*; do
  { IFS= read -r name && IFS= read -r _ && IFS= read -r home; } <"$each" || continue
  if [ -x "$home/bin/java" ]; then
    wanted[$name]=yes
  else
    rm "$each"
  fi
done
for old in "$root"/.sluice/dist/*; do
  if [ -z "${wanted[${old##*/}]:-}" ]; then
    if [ -f "$old/options" ]; then
      flock -n "$old/options" rm -rf "$old" || true
    else
      rm -rf "$old"
    fi
  fi
done
echo "sluice: built"
