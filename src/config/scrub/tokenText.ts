import { redacted } from '../../diagnostics/source.ts'
import type { Paths } from '../paths.ts'
import { alike } from './alike.ts'
import { isNearlyOurs, isOptionLike, isOurs } from './keys.ts'
import { meaningOf } from './meaning.ts'
import {
  neutralArgument,
  neutralFile,
  neutralSecret,
  neutralVariable,
  type SecretStrength,
} from './neutralSecret.ts'
import { neutralText } from './neutralText.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import type { Token } from './walk.ts'

/** What a token's replacement depends on beside the token. */
export type TokenFacts = {
  readonly names: Pseudonyms
  readonly paths: Paths
  /** What validation said of the secret at this token. */
  readonly strengthOf: (token: Token) => SecretStrength
  /** Whether what starts at this offset may be a piece of a secret. */
  readonly isHidden: (offset: number) => boolean
  /** Whether a text names a host, a service or the like, or holds a secret. */
  readonly isPrivate: (text: string) => boolean
}

type ScalarToken = Token & { readonly node: Extract<Token['node'], { readonly kind: 'scalar' }> }

/** What a YAML scalar can be. */
type Value = string | number | boolean | null

/** An unknown name is what its finding is about, so it stays; unless it may be a host's name or a secret's piece. */
function staysAsKey({ node, context, single }: ScalarToken, facts: TokenFacts): boolean {
  const name = node.source
  if (isOurs(name) || (node.plain && name === '<<') || name === '') return true
  if (facts.isHidden(node.from) || facts.isPrivate(name) || context.at === 'secret') return false
  if (isNearlyOurs(name)) return true
  return context.at === 'place' && single === true && isOptionLike(name)
}

function keyText(token: ScalarToken, facts: TokenFacts): string {
  const { context, node } = token
  const { names, paths } = facts
  if (context.at === 'names' && !(node.plain && node.source === '<<')) {
    return neutralText({ text: node.source, meaning: context.of }, names, paths)
  }
  if (staysAsKey(token, facts)) return node.source
  return `${redacted}-${names.number('key', node.source)}`
}

/** A secret that is no text has its own mistake, which stays. */
function secretValue(token: ScalarToken, facts: TokenFacts): Value {
  const value = readValue(token.node)
  if (typeof value === 'string') {
    const secret = neutralSecret(value, facts.strengthOf(token), facts.names)
    const { shared: setting } = token
    if (setting === undefined || alike(value, secret, { meaning: meaningOf(setting), setting })) return secret
    // A line break is what no setting of one line takes.
    return `${secret}\n`
  }
  return typeof value === 'boolean' ? true : 0
}

/** A value of a type that no setting has, such as a binary one, counts as its text. */
const readValue = ({ value, source }: ScalarToken['node']): Value =>
  value === null || typeof value === 'number' || typeof value === 'boolean' ? value : source

function neutralValue(token: ScalarToken, facts: TokenFacts): Value {
  const { context, node, reference } = token
  const { names, paths } = facts
  const value = readValue(node)
  const text = node.source
  if (value === null) return null
  if (reference === '!env') return neutralVariable(text, names)
  if (reference === '!file') return neutralFile(text, names)
  if (reference === '!exec') return neutralArgument(text, names)
  if (context.at === 'secret') return secretValue(token, facts)
  if (context.at === 'unknown') return redacted
  if (typeof value !== 'string') return value
  if (context.at === 'value') {
    const { setting } = context
    return neutralText({ text, meaning: meaningOf(setting), setting }, names, paths)
  }
  return neutralText({ text, meaning: context.at === 'names' ? context.of : 'text' }, names, paths)
}

/** What takes the place of a scalar: a text, a number or a switch; what must stay comes back as it is. */
export const tokenValue = (token: ScalarToken, facts: TokenFacts): Value =>
  token.isKey ? keyText(token, facts) : neutralValue(token, facts)
