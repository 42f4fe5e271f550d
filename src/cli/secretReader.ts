import type { SecretPolicy } from '../secrets/policy.ts'
import { type SecretReference, sourceOf } from '../secrets/reference.ts'
import { resolveReference } from '../secrets/resolveReference.ts'
import type { Secret } from '../secrets/secret.ts'
import { SecretError } from '../secrets/secretError.ts'
import type { CommandContext } from './context.ts'
import { secretSources } from './secretSources.ts'

/** A secret, or why it was not read. */
export type SecretReading = { readonly secret: Secret } | { readonly failure: SecretError }

/**
 * Reads secrets as far as the policy lets it, each source once: a program that `!exec` names may ask a person
 * or cost time. What it has read shows in no later failure. Rejects with `Interrupted` alone.
 */
export function secretReader(
  context: CommandContext,
  options: { readonly policy: SecretPolicy; readonly patience?: number },
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
