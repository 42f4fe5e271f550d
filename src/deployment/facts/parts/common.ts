/**
 * Returns the sh functions shared by all facts scripts. Each printed row starts with the nonce, a key and
 * tab-separated values. A value with a control character is printed as empty, so no name or content can imitate a
 * row.
 */
export const sharedFunctions = (nonce: string): string => `
nonce=${nonce}
say() {
  printf %s "$nonce"
  for v; do case $v in *[[:cntrl:]]*) v= ;; esac; printf '\\t%s' "$v"; done
  printf '\\n'
}
# The first line of a file of one line.
line() { if [ -r "$2" ]; then read -r first < "$2" || :; say "$1" "$2" "$first"; fi; }
# The lines of a program that prints rows of its own.
rows() { sed "s/^/$nonce	/"; }
# The texts of files, each KEY=PATH: one program for all of them, which puts the path before each line.
texts() {
  for p; do
    shift
    f=\${p#*=}
    if [ -f "$f" ] && [ -r "$f" ]; then say text "\${p%%=*}" "$f"; set -- "$@" "$f"; fi
  done
  [ "$#" = 0 ] || grep -aH '' "$@" | rows
}`

/** Prints the host name and the machine-id. */
export const identity = `
read -r first < /proc/sys/kernel/hostname
say hostname "$first"
first=
if [ -r /etc/machine-id ]; then read -r first < /etc/machine-id || :; fi
say machine-id "$first"`
