/** The rows of the fault table (deployment.md), word for word. */
export const faultRows = [
  'AllowTcpForwarding no',
  'down at start',
  'goes down mid-run',
  'accepts TCP, never a banner',
  'resets after the banner',
  'host key changed',
  'wrong login',
  'MaxStartups 2:100:3',
  'MaxSessions 1',
  'disk full at a write',
  'read-only directory',
  'sudo wants a password',
  'clock two hours off',
  'address now another machine',
  'our process killed (SIGKILL) after each step, then run again',
  'two operators at once',
  'lock whose owner died',
  'service starts and exits after 3 s',
  'port taken',
  '50 MB of output from a host',
  'every certificate defect',
] as const

export type FaultRow = (typeof faultRows)[number]
