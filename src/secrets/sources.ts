import type { SecretPolicy } from './policy.ts'
import type { Secret } from './secret.ts'

/** Content of a file, or its problem as a phrase after its name: `is not a file`. */
export type FileReading =
  | { readonly ok: true; readonly content: Buffer }
  | {
      readonly ok: false
      /** `outside`: not below the folder that the policy allows. */
      readonly problem: 'missing' | 'outside' | 'unfit' | 'unreadable'
      readonly reason: string
    }

/** Exit and output of a program; `failure` follows its name: `ended with code 1`. */
export type ProgramReading = {
  readonly failure?: string
  readonly stdout: Secret
  readonly stderr: string
}

/** I/O for reading secrets, and its limits; injected. */
export type SecretSources = {
  readonly policy: SecretPolicy
  /** Secrets that are already read: no message may contain them. */
  readonly known: readonly Secret[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** With `below`, reads only files that really lie below that folder, after following links. */
  readonly readFile: (path: string, below: string | undefined) => Promise<FileReading>
  /**
   * Runs a program without a shell, in a folder or in the working directory. Never rejects if the program
   * fails.
   */
  readonly runProgram: (
    command: readonly [string, ...string[]],
    directory: string | undefined,
  ) => Promise<ProgramReading>
}
