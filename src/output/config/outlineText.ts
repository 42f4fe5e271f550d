import { isObject } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { wrap } from '../../base/wrapping.ts'
import { ignoreWord } from '../../config/document/readIgnores.ts'
import type { Outline, OutlineHost, OutlineLine, OutlineReference } from '../../config/outline.ts'
import type { Plain } from '../../config/types/type.ts'
import { yamlValue } from './yamlValue.ts'

/** Columns of a comment. */
const width = 110

/** Characters of one comment, which may quote a stranger. */
const longestComment = 2000

/** Words that give a comment a meaning: for findings, and for editors. */
const meaningful = new RegExp(`${ignoreWord}|yaml-language-server`, 'gi')

/**
 * Writes a comment. No text ends its line, hides something, silences a finding or names a schema, wherever the comment
 * breaks.
 */
function commentLines(text: string, indent: string): readonly string[] {
  const safe = printableLine(text.slice(0, longestComment).replaceAll('\t', ' ')).replaceAll(
    meaningful,
    (word) => word.replaceAll('-', ' '),
  )
  const first = `${indent}# `
  return wrap(safe, { width, first, rest: first })
}

const isReference = (value: object): value is OutlineReference => 'tag' in value && value.tag === 'env'

function valueText(value: OutlineLine['value']): string {
  if (!isObject(value)) return yamlValue((value ?? null) as Plain)
  if (isReference(value)) return `!env ${yamlValue(value.variable)}`
  const members = Object.entries(value).map(([name, member]) => {
    const text = isObject(member) ? valueText(member) : yamlValue(member as Plain)
    return `${yamlValue(name)}: ${text}`
  })
  return `{ ${members.join(', ')} }`
}

const linesOf = (lines: readonly OutlineLine[], indent: string): readonly string[] =>
  lines.flatMap(({ comments = [], name, value }) => [
    ...comments.flatMap((text) => commentLines(text, indent)),
    ...(name === undefined || value === undefined ? [] : [`${indent}${name}: ${valueText(value)}`]),
  ])

/** Writes a group with its lines; one of comments alone is a comment. */
function group(name: string, lines: readonly OutlineLine[], indent = ''): readonly string[] {
  if (lines.length === 0) return []
  const isEmpty = lines.every((line) => line.name === undefined)
  return isEmpty ? linesOf(lines, indent) : [`${indent}${name}:`, ...linesOf(lines, `${indent}  `)]
}

function hostLines({ name, comments, lines, ssh, options }: OutlineHost): readonly string[] {
  const parts = [
    ...linesOf(lines, '    '),
    ...group('ssh', ssh, '    '),
    ...group('options', options, '    '),
  ]
  const isEmpty = [...lines, ...ssh, ...options].every((line) => line.name === undefined)
  return [
    ...comments.flatMap((text) => commentLines(text, '  ')),
    `  ${yamlValue(name)}:${isEmpty ? ' {}' : ''}`,
    ...parts,
  ]
}

/** Writes a configuration as YAML, with its comments. Every value is data, whoever it is from. */
export function outlineText({ head, cluster, defaults, ssh, services, hosts, tail }: Outline): string {
  const parts = [
    head.flatMap((text) => commentLines(text, '')),
    [`cluster: ${yamlValue(cluster)}`],
    group('defaults', defaults),
    group('ssh', ssh),
    [
      'services:',
      ...services.flatMap(({ name, lines }) => [`  ${yamlValue(name)}:`, ...linesOf(lines, '    ')]),
    ],
    ['hosts:', ...hosts.flatMap(hostLines)],
    tail.flatMap((text) => commentLines(text, '')),
  ].filter((part) => part.length > 0)
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`
}
