import type { SecretReference } from '../../secrets/reference.ts'
import { literalSecrets } from '../literalSecrets.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { emptyDraft } from '../shape/draft.ts'

/**
 * The texts of all secrets that the input writes out, also of those that a later file replaces. An alias can put the same text under another option,
 * where it would be shown; whoever prints values looks here first. Never printed itself.
 */
export function literalTexts({ drafts, sets }: ResolvedCluster): ReadonlySet<string> {
  const given = [...drafts, { ...emptyDraft, defaults: sets }].flatMap(literalSecrets)
  const texts = given.map(({ value }) => {
    // These are literals: nothing else is found there.
    const reference = value as SecretReference
    return reference.kind === 'literal' ? reference.value.reveal() : ''
  })
  return new Set(texts.filter((text) => text !== ''))
}
