# Sourced by the scripts at the root: sets JAVA_HOME to a JDK 25 or newer, or says what to do and fails.

is_jdk25() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  [ -n "$version" ] && [ "$version" -ge 25 ]
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

if ! find_jdk; then
  echo "sluice: no JDK 25 found in JAVA_HOME, on the PATH or in the usual folders; install one, or set JAVA_HOME to it" >&2
  exit 1
fi
export JAVA_HOME
