import { readFile } from 'node:fs/promises'
import { run } from '../processes/run.ts'
import type { SecretSources } from '../secrets/resolveReference.ts'
import type { CommandContext } from './context.ts'

/** Milliseconds that a program named by `!exec` has; it may ask a person for a key. */
const patience = 60_000

/** Where the secrets of a file come from on this machine. */
export const secretSources = (context: CommandContext): SecretSources => ({
  env: context.env,
  readFile: (path) => readFile(path),
  runCommand: (command) =>
    run({ command, env: context.env, cwd: context.cwd, timeout: patience, signal: context.signal }),
})
