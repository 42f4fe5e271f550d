/** Codes of differences of installed hosts, which no file has. */
export const driftCodes: readonly string[] = [
  'drift-changes',
  'drift-check',
  'drift-check-warning',
  'drift-component-stopped',
  'drift-host-left',
  'drift-not-planned',
  'drift-host-unreachable',
  'drift-host-failed',
]
