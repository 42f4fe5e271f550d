import type { SecretPolicy } from './policy.ts'
import type { Secret } from './secret.ts'

/** A file's content, or what is wrong with it, to go on after its name: `is not a file`. */
export type FileReading =
  | { readonly ok: true; readonly content: Buffer }
  | {
      readonly ok: false
      /** `outside`: not below the folder that a stranger's file may name files in. */
      readonly problem: 'missing' | 'outside' | 'unfit' | 'unreadable'
      readonly reason: string
    }

/** How a program ended and what it said; `failure` goes on after its name: `ended with code 1`. */
export type ProgramReading = {
  readonly failure?: string
  readonly stdout: Secret
  readonly stderr: string
}

/** Where secrets are read from and how far that may go; handed in by whoever may touch the world. */
export type SecretSources = {
  readonly policy: SecretPolicy
  /** Secrets that are known already: no message may show them. */
  readonly known: readonly Secret[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** With `below`, only what really lies below that folder, links followed. */
  readonly readFile: (path: string, below: string | undefined) => Promise<FileReading>
  /** Runs a program without a shell, in a folder or in the working directory. Never rejects for its failure. */
  readonly runProgram: (
    command: readonly [string, ...string[]],
    directory: string | undefined,
  ) => Promise<ProgramReading>
}
