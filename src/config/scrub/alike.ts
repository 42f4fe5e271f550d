import {
  canonicalAddress,
  impossibleAddress,
  isHostName,
  isLoopback,
  isWildcard,
} from '../../base/address.ts'
import type { YamlNode } from '../document/node.ts'
import type { Setting } from '../settings/setting.ts'
import { namingProblems } from '../userName.ts'
import type { Meaning } from './meaning.ts'

const span = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const scalar = (text: string): YamlNode => ({ kind: 'scalar', value: text, source: text, span })

/** Codes of what the setting's own type finds wrong with a text; empty for nothing. */
export function codesOf(setting: Setting<unknown>, text: string): string {
  const { type, name } = setting
  const isList = type.example.startsWith('[')
  const node: YamlNode = isList ? { kind: 'list', flow: true, items: [scalar(text)], span } : scalar(text)
  return type
    .read(node, name)
    .findings.map(({ code }) => code)
    .join()
}

function addressKind(text: string): string {
  const address = canonicalAddress(text)
  if (address === undefined) return impossibleAddress(text) ?? 'none'
  if (isLoopback(address)) return 'loopback'
  return isWildcard(address) ? 'wildcard' : (impossibleAddress(text) ?? 'address')
}

/** What the rules look at in a text, beside its type. */
function traits(meaning: Meaning, text: string): string {
  switch (meaning) {
    case 'host':
      return `${isHostName(text)} ${addressKind(text)}`
    case 'user':
      return `${namingProblems(text).length > 0} ${text === 'root'}`
    case 'path':
      return `${text.startsWith('/')} ${/^~(\/|$)/.test(text)} ${/^host:/.test(text)} ${/^host:\/./.test(text)}`
    case 'cluster':
    case 'service':
      return String(isHostName(text))
    default:
      return ''
  }
}

/** Whether validation finds the same in both texts, as far as the text alone decides. */
export function alike(
  a: string,
  b: string,
  facts: { readonly meaning: Meaning; readonly setting?: Setting<unknown> },
): boolean {
  const { meaning, setting } = facts
  if (traits(meaning, a) !== traits(meaning, b)) return false
  return setting === undefined || codesOf(setting, a) === codesOf(setting, b)
}
