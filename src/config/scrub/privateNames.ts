import { isPartOfOurs } from './keys.ts'
import { meaningOf } from './meaning.ts'
import type { Token } from './walk.ts'

const shortest = 4

function privateText({ node, context, isKey }: Token): { text: string; secret: boolean } | undefined {
  if (node.kind === 'alias' || typeof node.value !== 'string' || node.value === '') return undefined
  if (context.at === 'names' && isKey) return { text: node.source, secret: false }
  if (isKey) return undefined
  if (context.at === 'secret') return { text: node.value, secret: true }
  if (context.at !== 'value') return undefined
  const named = ['host', 'cluster', 'user'].includes(meaningOf(context.setting))
  return named ? { text: node.value, secret: false } : undefined
}

/** Whether a text is one of the names that a file gives, or holds one of its secrets. */
export function privateNames(tokens: readonly Token[]): (text: string) => boolean {
  const found = tokens.map(privateText).filter((one) => one !== undefined)
  const names = new Set(found.map(({ text }) => text.toLowerCase()))
  const secrets = found
    .filter(({ text, secret }) => secret && text.length >= shortest && !isPartOfOurs(text))
    .map(({ text }) => text)
  return (text) => names.has(text.toLowerCase()) || secrets.some((secret) => text.includes(secret))
}
