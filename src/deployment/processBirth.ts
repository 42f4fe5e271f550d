/**
 * sh function `born PID`: prints when the process started, in clock ticks since boot (field 22 of proc(5)'s stat),
 * which with the pid names one process for ever. Nothing where none has the pid, or a zombie does: in a container
 * nobody may ever fetch it.
 */
export const bornFunction = `born() { sed 's/^.*) //; /^[ZX]/d' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }`
