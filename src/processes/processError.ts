import { Secret } from '../secrets/secret.ts'

type ProcessErrorCode = 'not-found' | 'timeout' | 'killed' | 'too-much-output'

/** A program that did not run to its end. A non-zero exit is a result, not an error. */
export class ProcessError extends Error {
  readonly code: ProcessErrorCode
  readonly command: readonly string[]
  /** Standard error of the program, at most its last 4,000 characters. */
  readonly stderr: string
  /** Standard output, which may be a secret that standard error must not repeat. */
  readonly stdout: Secret

  constructor(facts: {
    code: ProcessErrorCode
    command: readonly string[]
    message: string
    stderr?: string
    stdout?: string
  }) {
    super(facts.message)
    this.name = 'ProcessError'
    this.code = facts.code
    this.command = facts.command
    this.stderr = (facts.stderr ?? '').slice(-4000)
    this.stdout = new Secret(facts.stdout ?? '')
  }
}
