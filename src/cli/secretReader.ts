import { readBoundedFile } from '../base/boundedFile.ts'
import type { SecretPolicy } from '../secrets/policy.ts'
import { type SecretReference, sourceOf } from '../secrets/reference.ts'
import { resolveReference } from '../secrets/resolveReference.ts'
import { Secret } from '../secrets/secret.ts'
import { SecretError } from '../secrets/secretError.ts'
import type { FileReading, ProgramReading, SecretSources } from '../secrets/sources.ts'
import type { CommandContext } from './context.ts'
import { Interrupted } from './interrupted.ts'
import { readFailure, readRegularFile } from './readRegularFile.ts'

/** A secret, or why it was not read. */
export type SecretReading = { readonly secret: Secret } | { readonly failure: SecretError }

/**
 * Reads secrets as far as the policy lets it, each source once: a program that `!exec` names may ask a person
 * or cost time. What it has read shows in no later failure. Rejects with `Interrupted` alone.
 */
export function secretReader(
  context: CommandContext,
  options: { readonly policy: SecretPolicy; readonly timeout?: number },
): (reference: SecretReference) => Promise<SecretReading> {
  const known: Secret[] = []
  const sources = secretSources(context, { ...options, known })
  const done = new Map<string, Promise<SecretReading>>()

  const read = async (reference: SecretReference): Promise<SecretReading> => {
    try {
      const secret = await resolveReference(reference, sources)
      known.push(secret)
      return { secret }
    } catch (error) {
      if (error instanceof SecretError) return { failure: error }
      throw error
    }
  }
  return (reference) => {
    const source = sourceOf(reference)
    if (source === undefined) return read(reference)
    const reading = done.get(source) ?? read(reference)
    done.set(source, reading)
    return reading
  }
}

/** Milliseconds that a program named by `!exec` has; it may ask a person for a key. */
const programTimeout = 60_000

/** Bytes; no secret is longer. */
const largestSecretFile = 64 * 1024

/** Bytes of each output stream of a program. */
const maxOutputBytes = 1024 * 1024

/** Reads a file anywhere, or a pipe of a shell: the operator named it, or trusts the file that did. */
async function readAnywhere(path: string, signal: AbortSignal): Promise<FileReading> {
  try {
    const { content } = await readBoundedFile(path, { maxBytes: largestSecretFile, pipe: signal })
    return { ok: true, content }
  } catch (error) {
    if (signal.aborted) throw new Interrupted()
    return readFailure(error)
  }
}

async function runProgram(
  context: CommandContext,
  program: {
    readonly command: readonly [string, ...string[]]
    readonly cwd: string
    readonly timeout: number
  },
): Promise<ProgramReading> {
  // Loaded only where a program is run at all: a validation should start quickly.
  const [{ run }, { ProcessError }] = await Promise.all([
    import('../processes/run.ts'),
    import('../processes/processError.ts'),
  ])
  const { command, cwd, timeout } = program
  const { env, signal } = context
  try {
    const result = await run({ command, cwd, env, signal, timeout, maxOutput: maxOutputBytes })
    const failure = result.code === 0 ? {} : { failure: `ended with code ${result.code}` }
    return { ...failure, stdout: new Secret(result.stdout), stderr: result.stderr }
  } catch (error) {
    if (signal.aborted) throw new Interrupted()
    if (!(error instanceof ProcessError)) throw error
    return { failure: failureOf(error.message, command[0]), stdout: error.stdout, stderr: error.stderr }
  }
}

/** Removes the name of the program and the path of the folder from a message. */
function failureOf(message: string, program: string): string {
  const rest = message.startsWith(`${program} `) ? message.slice(program.length + 1) : message
  return rest.replace(/^cannot be run: no such program.*$/, 'cannot be run: there is no such program')
}

/** Returns the sources of secrets on this machine. */
const secretSources = (
  context: CommandContext,
  options: Pick<SecretSources, 'policy' | 'known'> & { readonly timeout?: number },
): SecretSources => ({
  policy: options.policy,
  known: options.known,
  env: context.env,
  readFile: (path, below) =>
    below === undefined
      ? readAnywhere(path, context.signal)
      : readRegularFile(path, { maxBytes: largestSecretFile, below }),
  runProgram: (command, directory) =>
    runProgram(context, {
      command,
      cwd: directory ?? context.cwd,
      timeout: options.timeout ?? programTimeout,
    }),
})
