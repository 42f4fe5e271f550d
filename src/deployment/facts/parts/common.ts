/** sh functions that the parts of the facts scripts share; each line they print is a key and tab-separated values. */
export const functions = `
say() { printf '%s\\t' "$@"; printf '\\n'; }
# The first line of a file of one line.
line() { if [ -r "$2" ]; then read -r first < "$2" || :; say "$1" "$2" "$first"; fi; }
# The texts of files, each KEY=PATH: one program for all of them, which puts the path before each line.
texts() {
  for p; do
    shift
    f=\${p#*=}
    if [ -f "$f" ] && [ -r "$f" ]; then say text "\${p%%=*}" "$f"; set -- "$@" "$f"; fi
  done
  [ "$#" = 0 ] || grep -H '' "$@"
}`

/** Which machine this is. */
export const identity = `
read -r first < /proc/sys/kernel/hostname
say hostname "$first"
first=
if [ -r /etc/machine-id ]; then read -r first < /etc/machine-id || :; fi
say machine-id "$first"`
