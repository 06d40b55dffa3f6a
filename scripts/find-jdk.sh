# Sourced by the scripts at the root: sets JAVA_HOME to a JDK 25 or newer, or says what to do and fails.
# Starts no program in the usual case: it runs at every start of sluice.

# Also keeps what the Java says of itself in jdk_release, so that one which is upgraded in its folder is told from before.
read_release() {
  [ -r "$1/release" ] || return 1
  IFS= read -r -d '' jdk_release <"$1/release" || true
  [[ $jdk_release =~ JAVA_VERSION=\"([0-9]+) ]] && java_version=${BASH_REMATCH[1]}
}

is_jdk25() {
  [ -x "$1/bin/javac" ] && read_release "$1" && [ "$java_version" -ge 25 ]
}

usual_folders() {
  folders=(/usr/lib/jvm/* /opt/java/* /opt/jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*
    "$HOME"/.local/share/mise/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home)
}

# Sets java17 to a Java 17, a JDK or not, or fails.
find_java17() {
  local candidate folders jdk_release java_version
  usual_folders
  for candidate in "${JAVA17_HOME:-}" "${folders[@]}"; do
    if [ -x "$candidate/bin/java" ] && read_release "$candidate" && [ "$java_version" -eq 17 ]; then
      java17=$candidate
      return 0
    fi
  done
  return 1
}

find_jdk() {
  local candidate on_path folders java_version
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
  usual_folders
  for candidate in "${folders[@]}"; do
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
