/** The one table of exit codes, for every command of every program. */
export const exitCodes = {
  /** Done, or nothing found. */
  ok: 0,
  /** It failed, or there are findings. */
  failed: 1,
  /** A plan has changes. */
  changes: 2,
  /** It could not run, or was called wrongly. */
  usage: 3,
  /** Some hosts could not be reached. */
  unreachable: 4,
  /** Another run holds the lock. */
  locked: 5,
  /**
   * It was done, and something was not seen to follow, databases reject an account of the components, or a host that
   * left the file could not be taken out.
   */
  incomplete: 6,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Returns the exit code for the states of hosts: a failed host outweighs an unreachable one. */
export function exitOfHosts(states: readonly string[]): ExitCode {
  if (states.includes('failed')) return exitCodes.failed
  return states.includes('unreachable') ? exitCodes.unreachable : exitCodes.ok
}

/** Returns the exit code for the state of a switch; one under way is no failure. */
export function exitOfSwitch(state: 'in_progress' | 'complete' | 'incomplete' | 'failed'): ExitCode {
  if (state === 'incomplete') return exitCodes.incomplete
  return state === 'failed' ? exitCodes.failed : exitCodes.ok
}
