# Sourced by the scripts at the root: sets JAVA_HOME to a JDK 25 or newer, or says what to do and fails.
# Starts no program in the usual case: it runs at every start of sluice.

# Also keeps what the JDK says of itself in jdk_release, so that one which is upgraded in its folder is told from before.
is_jdk25() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  IFS= read -r -d '' jdk_release <"$1/release" || true
  [[ $jdk_release =~ JAVA_VERSION=\"([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 25 ]
}

find_jdk() {
  local candidate on_path
  if [ -n "${JAVA_HOME:-}" ] && is_jdk25 "$JAVA_HOME"; then
    return 0
  fi
  on_path=$(command -v javac || true)
  if [ -n "$on_path" ]; then
    candidate=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    if is_jdk25 "$candidate"; then
      JAVA_HOME=$candidate
      return 0
    fi
  fi
  for candidate in /usr/lib/jvm/* /opt/java/* /opt/jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    "$HOME"/.local/share/mise/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if is_jdk25 "$candidate"; then
      JAVA_HOME=$candidate
      return 0
    fi
  done
  return 1
}

jdk_release=
if ! find_jdk; then
  echo "sluice: no JDK 25 found in JAVA_HOME, on the PATH or in the usual folders; install one, or set JAVA_HOME to it" >&2
  exit 1
fi
export JAVA_HOME
