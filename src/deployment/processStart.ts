/**
 * Defines the sh function `born PID`: prints the start of the process in clock ticks since boot (field 22 of
 * proc(5)'s stat), which with the pid is unique. Prints nothing without such a process, or for a zombie, which in a
 * container may never be reaped. It starts no program.
 */
export const processStartFunction = `born() {
  { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 0
  # What the name of the program ends with; 20 fields on is the one.
  set -- \${stat##*) }
  case $1 in Z|X|'') ;; *) shift 19; echo "$1" ;; esac
}`
