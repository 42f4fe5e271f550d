import type { CommandContext } from '../cli/context.ts'
import { askHidden } from '../cli/promptHidden.ts'
import { type SecretReading, secretReader } from '../cli/secretReader.ts'
import { UsageError } from '../cli/usageError.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'

type Sources = {
  readonly read: (reference: SecretReference) => Promise<SecretReading>
  readonly ask: () => Promise<Secret>
}

/** A command reads each source once, and asks once for all hosts. */
const sources = new WeakMap<CommandContext, Sources>()

function sourcesOf(context: CommandContext): Sources {
  const known = sources.get(context)
  if (known !== undefined) return known
  let asked: Promise<Secret> | undefined
  const made: Sources = {
    read: secretReader(context, { policy: 'all' }),
    ask: () => {
      asked ??= ask(context)
      return asked
    },
  }
  sources.set(context, made)
  return made
}

async function ask(context: CommandContext): Promise<Secret> {
  const fix = 'Give it as become-password under ssh, read with !env, !file or !exec.'
  if (context.stdin.isTTY !== true) {
    throw new UsageError('There is no terminal to ask for the password of sudo.', fix)
  }
  const given = await askHidden(context, 'Password of sudo on the hosts')
  if (given === undefined) throw new UsageError('The password of sudo was not given.', fix)
  return given
}

/**
 * The password of sudo, from where the file says or from a person. Rejects with `SecretError`, `UsageError` or
 * `Interrupted`.
 */
export async function becomePassword(
  context: CommandContext,
  reference: SecretReference | 'ask',
): Promise<Secret> {
  const { read, ask: askPerson } = sourcesOf(context)
  if (reference === 'ask') return askPerson()
  const reading = await read(reference)
  if ('failure' in reading) throw reading.failure
  return reading.secret
}
