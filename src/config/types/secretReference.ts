import { finding } from '../../diagnostics/finding.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { Secret } from '../../secrets/secret.ts'
import type { YamlNode } from '../document/node.ts'
import { type Reading, textOf, type ValueType, wrongType } from './type.ts'

const wants = 'text, or its source: !env NAME, !file PATH or !exec [program, argument]'

type ReferenceFacts = { name: string; tag: string; wants: string; example: string }

const badReference = finding('bad-reference', (facts: ReferenceFacts) => ({
  message: `!${facts.tag} of ${facts.name} needs ${facts.wants}.`,
  why: 'The secret cannot be read.',
  fix: `Write, for example: ${facts.example}`,
}))

const bad = (node: YamlNode, facts: ReferenceFacts): Reading<SecretReference> => ({
  findings: [badReference(facts, { span: node.span })],
})

function fromExec(node: YamlNode, name: string): Reading<SecretReference> {
  const words =
    node.kind === 'list' ? node.items.map((item) => (item.kind === 'scalar' ? item.source : '')) : []
  const [program, ...rest] = words
  if (program !== undefined && program !== '' && node.kind === 'list' && node.items.every(isText)) {
    return { value: { kind: 'exec', command: [program, ...rest] }, findings: [] }
  }
  return bad(node, {
    name,
    tag: 'exec',
    wants: 'a list of texts: the program and its arguments (without a shell)',
    example: `${name}: !exec [pass, show, muster]`,
  })
}

const isText = (node: YamlNode): boolean => node.kind === 'scalar' && node.value !== null

/** A secret or its source. The path of `!file` is still relative. */
export const secretReference: ValueType<SecretReference> = {
  wants,
  example: '!env ADMIN_PASS',
  textual: true,
  // For an editor, text follows !env and !file, and a list follows !exec. The schema has no "items": with them the
  // YAML language server would insert a list for every secret.
  schema: { type: ['string', 'array'], minItems: 1 },
  write: () => redacted,
  read: (node, name) => {
    const text = node.kind === 'scalar' ? node.source : ''
    if (node.tag === 'exec') return fromExec(node, name)
    if (node.tag === 'env') {
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return { value: { kind: 'env', name: text }, findings: [] }
      const example = `${name}: !env ADMIN_PASS`
      return bad(node, { name, tag: 'env', wants: 'the name of an environment variable', example })
    }
    if (node.tag === 'file') {
      if (text !== '' && !text.includes('\0')) return { value: { kind: 'file', path: text }, findings: [] }
      return bad(node, { name, tag: 'file', wants: 'a path', example: `${name}: !file admin-password` })
    }
    const value = textOf(node)
    if (value !== undefined) return { value: { kind: 'literal', value: new Secret(value) }, findings: [] }
    const fix =
      node.kind === 'scalar' ? 'Put it in single quotes, so that it is read as text.' : `Write ${wants}.`
    return { findings: [wrongType({ ...node, hidden: true }, { name, wants, fix })] }
  },
}
