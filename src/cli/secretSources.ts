import { readFile } from 'node:fs/promises'
import { Secret } from '../secrets/secret.ts'
import type { FileReading, ProgramReading, SecretSources } from '../secrets/sources.ts'
import type { CommandContext } from './context.ts'
import { Interrupted } from './interrupted.ts'
import { readFailure, readRegularFile } from './readRegularFile.ts'

/** Milliseconds that a program named by `!exec` has; it may ask a person for a key. */
export const programPatience = 60_000

/** Bytes; no secret is longer. */
const largestSecretFile = 64 * 1024

/** Bytes of each output stream of a program. */
const mostOutput = 1024 * 1024

/** Anything that can be read, such as the pipe of a shell: the operator named it, or trusts the file that did. */
async function readAny(path: string): Promise<FileReading> {
  try {
    return { ok: true, content: await readFile(path) }
  } catch (error) {
    return readFailure(error)
  }
}

async function runProgram(
  context: CommandContext,
  program: {
    readonly command: readonly [string, ...string[]]
    readonly cwd: string
    readonly patience: number
  },
): Promise<ProgramReading> {
  // Loaded only where a program is run at all: a validation should start quickly.
  const [{ run }, { ProcessError }] = await Promise.all([
    import('../processes/run.ts'),
    import('../processes/processError.ts'),
  ])
  const { command, cwd, patience } = program
  const { env, signal } = context
  try {
    const result = await run({ command, cwd, env, signal, timeout: patience, maxOutput: mostOutput })
    const failure = result.code === 0 ? {} : { failure: `ended with code ${result.code}` }
    return { ...failure, stdout: new Secret(result.stdout), stderr: result.stderr }
  } catch (error) {
    if (signal.aborted) throw new Interrupted()
    if (!(error instanceof ProcessError)) throw error
    return { failure: failureOf(error.message, command[0]), stdout: error.stdout, stderr: error.stderr }
  }
}

/** The message without the program's name, and without the folder, whose path is nobody's business. */
function failureOf(message: string, program: string): string {
  const rest = message.startsWith(`${program} `) ? message.slice(program.length + 1) : message
  return rest.replace(/^cannot be run: no such program.*$/, 'cannot be run: there is no such program')
}

/** Where the secrets of a file come from on this machine. */
export const secretSources = (
  context: CommandContext,
  options: Pick<SecretSources, 'policy' | 'known'> & { readonly patience?: number },
): SecretSources => ({
  policy: options.policy,
  known: options.known,
  env: context.env,
  readFile: (path, below) =>
    below === undefined ? readAny(path) : readRegularFile(path, { most: largestSecretFile, below }),
  runProgram: (command, directory) =>
    runProgram(context, {
      command,
      cwd: directory ?? context.cwd,
      patience: options.patience ?? programPatience,
    }),
})
