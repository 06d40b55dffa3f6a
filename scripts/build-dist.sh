#!/usr/bin/env bash
# Builds what the launcher runs into cli/target/dist: jars, a class path, the demo's server, and an AOT cache.
# Everything is written to standard error. JAVA_HOME is set by the caller.
set -euo pipefail
exec >&2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dist=$root/cli/target/dist

command -v mvn >/dev/null || { echo "sluice: Maven is needed to build; install it (\`mvn\` must be on the PATH)"; exit 1; }
echo "sluice: building (once; the first time downloads libraries)"
rm -f "$dist/built-for"
started=$(mktemp)
(cd "$root" && mvn -q -B -DskipTests package -pl cli,examples/mail-server -am)

printf '%s' "$(printf '%s:' "$dist"/lib/*.jar)" >"$dist/class-path.new"
sed -i 's/:$//' "$dist/class-path.new"
mv "$dist/class-path.new" "$dist/class-path"
rm -rf "$dist/mail-server"
mkdir -p "$dist/mail-server"
cp "$root/examples/mail-server/target/mail-server.jar" "$root"/examples/mail-server/target/lib/*.jar "$dist/mail-server"

# An AOT cache makes starting fast. It is made on one run of what `sluice run` does; without it all works, slower.
training=$(mktemp -d)
trap 'rm -rf "$training" "$started"' EXIT
rm -f "$dist/sluice.aot"
{
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"training","version":"1"}}}'
  sleep 1.5
  printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}' \
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_mail","arguments":{"id":"m1"}}}' \
    '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"send_email","arguments":{"to":["a@b.example"],"subject":"s","body":"b"}}}'
  sleep 1.5
} | "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
  -XX:AOTCacheOutput="$dist/sluice.aot" -cp "$(cat "$dist/class-path")" dev.sluice.cli.Main \
  run --state "$training/state" --session training -- \
  "$JAVA_HOME/bin/java" -cp "$dist/mail-server/*" dev.sluice.examples.mail.MailServer >"$training/log" 2>&1 ||
  { echo "sluice: making the AOT cache failed; starting will be slower"; rm -f "$dist/sluice.aot"; }

printf '%s' "$JAVA_HOME" >"$dist/built-for.new"
touch -r "$started" "$dist/built-for.new" # sources that changed while it was built are newer
mv "$dist/built-for.new" "$dist/built-for"
echo "sluice: built"
