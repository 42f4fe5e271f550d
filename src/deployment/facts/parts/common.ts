/**
 * sh functions that the parts of the facts scripts share. Each line they print begins with the nonce of this run, a key
 * and tab-separated values; a value with a tab, a line feed or another control character is nobody's that we know and
 * is printed as nothing. So no name and no content can be taken for another line.
 */
export const functions = (nonce: string): string => `
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

/** Which machine this is. */
export const identity = `
read -r first < /proc/sys/kernel/hostname
say hostname "$first"
first=
if [ -r /etc/machine-id ]; then read -r first < /etc/machine-id || :; fi
say machine-id "$first"`
