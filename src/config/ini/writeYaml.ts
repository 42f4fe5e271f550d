import type { ImportState } from './importState.ts'
import { serviceFrom } from './iniNames.ts'
import { prefixed, publicLine, type TextLine } from './readIni.ts'
import { type CommentBlock, type Group, itemsOf, type YamlDraft, type YamlValue } from './yamlDraft.ts'

/** Words that YAML, or an older version of it, does not read as text. */
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const escaped = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Cs}/u

const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Writes text as a YAML scalar that reads back unchanged, in single quotes if necessary. */
export function yamlScalar(text: string): string {
  if (/^[A-Za-z/][A-Za-z0-9_./-]*$/.test(text) && !reserved.test(text)) return text
  if (/^\d+(\.\d+){3}$/.test(text)) return text
  return quotedScalar(text)
}

/** Writes text as a quoted YAML scalar, for secrets. */
export function quotedScalar(text: string): string {
  if (!escaped.test(text)) return `'${text.replaceAll("'", "''")}'`
  // JSON's form is YAML's double-quoted one, but for characters that YAML wants escaped.
  return JSON.stringify(text).replace(new RegExp(escaped, 'gu'), asEscape)
}

/** Writes a list on one line. */
export const yamlList = (items: readonly string[]): string => `[${items.map(yamlScalar).join(', ')}]`

const comment = (indent: string, line: TextLine): TextLine =>
  line.text === '' ? publicLine(`${indent}#`) : prefixed(`${indent}# `, line)

const advice = publicLine('In plain text. Use !env NAME or !file PATH instead.')

function linesOf(item: YamlValue | CommentBlock, indent: string): readonly TextLine[] {
  if (item.kind === 'comment') return item.lines.map((line) => comment(indent, line))
  const { name, value, above } = item
  const isSecret = value.text !== value.shown
  const comments = isSecret ? [...above, advice] : above
  return [...comments.map((line) => comment(indent, line)), prefixed(`${indent}${name}: `, value)]
}

const groupLines = (yaml: YamlDraft, group: Group, indent: string): readonly TextLine[] =>
  itemsOf(yaml, group).flatMap((item) => linesOf(item, indent))

/** Writes a name with indented lines; nothing without lines. */
const below = (name: string, lines: readonly TextLine[]): readonly TextLine[] =>
  lines.length === 0 ? [] : [publicLine(`${name}:`), ...lines]

function serviceLines({ yaml, services }: ImportState, section: string): readonly TextLine[] {
  const group: Group = { kind: 'service', of: section }
  if (!services.has(section)) return groupLines(yaml, group, '  ')
  const fields = groupLines(yaml, group, '    ')
  const options = groupLines(yaml, { kind: 'service-options', of: section }, '      ')
  return [publicLine(`  ${yamlScalar(serviceFrom(section))}:`), ...fields, ...below('    options', options)]
}

function hostLines({ yaml, hosts }: ImportState, host: string): readonly TextLine[] {
  const address = hosts.get(host)
  const fields = [
    ...(address === undefined ? [] : [publicLine(`    address: ${yamlScalar(address)}`)]),
    ...below('    options', groupLines(yaml, { kind: 'host-options', of: host }, '      ')),
  ]
  const name = `  ${yamlScalar(host)}:`
  return fields.length === 0 ? [publicLine(`${name} {}`)] : [publicLine(name), ...fields]
}

/** Writes the YAML file of an import line by line; `sectionOrder` has the sections in the order of the services. */
export function writeYaml(state: ImportState, sectionOrder: readonly string[]): readonly TextLine[] {
  const { yaml, hosts } = state
  const parts = [
    groupLines(yaml, { kind: 'head' }, ''),
    groupLines(yaml, { kind: 'file' }, ''),
    below('defaults', groupLines(yaml, { kind: 'defaults' }, '  ')),
    below(
      'services',
      sectionOrder.flatMap((section) => serviceLines(state, section)),
    ),
    below(
      'hosts',
      [...hosts.keys()].flatMap((host) => hostLines(state, host)),
    ),
  ].filter((part) => part.length > 0)
  return parts.flatMap((part, index) => (index === 0 ? part : [publicLine(''), ...part]))
}
