import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { parseYaml } from '../yaml.ts'
import { hideSecrets, hideSecretsInText, type SecretNames } from './hideSecrets.ts'
import { type Lines, linesOf } from './lines.ts'
import { describeNode, fixHidden, keyName, type MapNode, whyHidden, type YamlNode } from './node.ts'
import { type Ignore, ignoreWord, readIgnores } from './readIgnores.ts'
import { resolveAliases } from './resolveAliases.ts'
import { breaksTree, restUnread, syntaxFinding, valuesOf } from './syntaxFindings.ts'

const duplicateKey = finding('duplicate-key', (facts: { name: string; hidden?: true }) => ({
  message: `${facts.name} is given twice.`,
  why: `Only one of the two can apply, and it is not clear which.${whyHidden(facts)}`,
  fix: fixHidden(facts) ?? 'Remove one of them.',
}))

/** Returns a finding for each duplicate name in a map; it is at the later one and refers to the earlier. */
function duplicates(node: YamlNode): readonly Diagnostic[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(duplicates)
  const first = new Map<string, (typeof node.entries)[number]>()
  return node.entries.flatMap((entry) => {
    const within = duplicates(entry.value)
    const earlier = first.get(entry.key)
    if (earlier === undefined) {
      first.set(entry.key, entry)
      return within
    }
    const related = [{ message: 'The first one is here.', span: earlier.keySpan }]
    return [...within, duplicateKey(keyName(entry), { span: entry.keySpan, related })]
  })
}

const maxDepth = 64
const maxSyntaxFindings = 20

/** Limit of the parser's errors that are read; one line often has several. */
const maxProblems = 200

/** A file as a tree; `root` is absent if it cannot be checked further. */
type ReadDocument = {
  readonly root?: MapNode
  readonly findings: readonly Diagnostic[]
  readonly hidden: readonly Span[]
  /** Lines with a syntax error: other findings there are mostly consequences. */
  readonly erroneousLines: ReadonlySet<number>
  /** Comments that silence findings; empty without a root. */
  readonly ignores: readonly Ignore[]
}

/** Keeps one finding per line: the others are mostly consequences of the first. */
function firstOfEachLine(findings: readonly Diagnostic[]): Diagnostic[] {
  const lines = new Map<number, Diagnostic>()
  for (const finding of findings) if (!lines.has(finding.span.line)) lines.set(finding.span.line, finding)
  return [...lines.values()].slice(0, maxSyntaxFindings)
}

const nulCharacter = finding('nul-character', () => ({
  message: 'The file contains a NUL character.',
  why: 'The file is damaged or in another format, such as UTF-16.',
  fix: 'Save the file again as plain UTF-8 text.',
}))

export function nulFinding(text: string, lines: Lines): Diagnostic | undefined {
  const at = text.indexOf('\0')
  return at === -1 ? undefined : nulCharacter({}, { span: lines.span(at, at + 1) })
}

const emptyFile = finding('empty-file', () => ({
  message: 'The file has no configuration: it is empty or has only comments.',
  why: 'A configuration needs at least a cluster name, hosts and services.',
  fix: 'Create a commented example with: muster init FILE',
}))

const notAMapping = finding('not-a-mapping', (facts: { got: string }) => ({
  message: `The file has ${facts.got} where names with values are expected.`,
  why: restUnread,
  fix: 'Start with a line such as "cluster: alpha"; muster init writes a whole example.',
}))

const severalDocuments = finding('several-documents', () => ({
  message: 'A second YAML document starts here.',
  why: 'A configuration is one document, and it is not clear which one is meant.',
  fix: 'Remove the "---" line, or move the second document to its own file and pass both: muster validate A B',
}))

const tooDeep = finding('too-deep', (facts: { limit: number }) => ({
  message: `Values are nested more than ${facts.limit} levels deep.`,
  why: 'A configuration needs five levels; the rest of the file was not read.',
  fix: 'Look for a bracket or brace that is opened and never closed.',
}))

/**
 * Parses one YAML text (without byte order mark); every error is a finding with its place, none is thrown.
 */
export function readDocument(file: { name: string; text: string }, names: SecretNames): ReadDocument {
  const { name, text } = file
  const lines = linesOf(name, text)
  const broken = (findings: readonly Diagnostic[]): ReadDocument => ({
    findings,
    hidden: hideSecretsInText(name, text, names.isKnown),
    erroneousLines: new Set(),
    ignores: [],
  })

  const nul = nulFinding(text, lines)
  if (nul !== undefined) return broken([nul])
  const parsed = parseYaml(text, maxDepth)
  if (parsed.tooDeep !== undefined) {
    const { from } = parsed.tooDeep
    return broken([tooDeep({ limit: maxDepth }, { span: lines.span(from, from + 1) })])
  }

  const values = valuesOf(parsed.roots.map(({ node }) => node).filter((node) => node !== undefined))
  const syntax = firstOfEachLine(
    parsed.problems.slice(0, maxProblems).map((problem) => syntaxFinding(problem, { lines, text, values })),
  )
  if (parsed.problems.some(breaksTree)) return broken(syntax)
  const [first, second] = parsed.roots
  const several =
    second === undefined ? [] : [severalDocuments({}, { span: lines.span(second.from, second.from + 1) })]
  if (first?.node === undefined || (first.node.kind === 'scalar' && first.node.source === '')) {
    return broken([...syntax, ...several, emptyFile({}, { span: lines.span(0, 0) })])
  }

  const resolved = resolveAliases(first.node, lines)
  const { root, hidden } = hideSecrets(resolved.root, text, names)
  const findings = [...syntax, ...several, ...resolved.findings, ...duplicates(root)]
  if (root.kind === 'map') {
    const erroneousLines = new Set(syntax.map(({ span }) => span.line))
    return {
      root,
      findings,
      hidden: [...hidden, ...hiddenLater(parsed.roots.length, broken)],
      erroneousLines,
      ignores: text.includes(ignoreWord) ? readIgnores(parsed.comments(), { text, lines }) : [],
    }
  }
  const got = root.kind === 'list' ? describeNode(root) : 'a single value'
  const unusable = broken([...findings, notAMapping({ got }, { span: root.span })])
  // A lone value may well be a password file given by mistake.
  return root.kind === 'list' ? unusable : { ...unusable, hidden: [root.span] }
}

/** Hides the lines of later documents like those of broken text, since they are not parsed as a tree. */
const hiddenLater = (documents: number, broken: (findings: readonly Diagnostic[]) => ReadDocument) =>
  documents > 1 ? broken([]).hidden : []
