import { addHosts, emptyTree, type GroupTree, groupIn } from './groupTree.ts'
import { type InventoryProblem, shownWord, type Variable } from './inventory.ts'

const section = /^\[([^\s:[\]]{1,200})(?::(vars|children|hosts))?\]\s*(?:[#;].*)?$/

/** A line that was meant as a heading: with a blank in the name, or of an unknown kind. No host pattern looks like it. */
const brokenSection = /^\[(?=[^\]]*[A-Za-z][^\]]*[\s:])[^\]:]{1,200}(?::[A-Za-z_]{2,40})?\]\s*(?:[#;].*)?$/

/** Characters of a line that is looked at as a broken heading, since its pattern tries every place of a blank. */
const longestHeading = 300

/** Returns true if a line of the text is the heading of a section; YAML and JSON have no such line. */
export const hasSections = (text: string): boolean =>
  text.split(/\r?\n/).some((line) => section.test(line.trimEnd()) && line.startsWith('['))

/**
 * Splits a line into words as shlex does: quotes join, # outside of them begins a comment even within a word, and a
 * backslash escapes, between double quotes only itself and the quote.
 */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at)
    if (quote !== '') {
      if (letter === quote) quote = ''
      else if (letter === '\\' && quote === '"' && /["\\]/.test(line.charAt(at + 1)))
        word = `${word ?? ''}${line.charAt(++at)}`
      else word = `${word ?? ''}${letter}`
    } else if (letter === '"' || letter === "'") {
      quote = letter
      word ??= ''
    } else if (letter === '\\' && at + 1 < line.length) word = `${word ?? ''}${line.charAt(++at)}`
    else if (letter === ' ' || letter === '\t') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (letter === '#') break
    else word = `${word ?? ''}${letter}`
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** Reads an inventory in INI format (Ansible, `ansible.builtin.ini`). */
export function readAnsibleIni(text: string): GroupTree | InventoryProblem {
  const tree = emptyTree()
  let group = 'ungrouped'
  let kind = 'hosts'
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    const at = `Line ${index + 1}`
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    if (line.startsWith('[') && section.test(line)) {
      const [, name = '', of = 'hosts'] = section.exec(line) ?? []
      group = name
      kind = of
      groupIn(tree, group)
      continue
    }
    if (line.length <= longestHeading && brokenSection.test(line)) {
      return {
        message: `${at} of the inventory is no heading of a section: ${shownWord(line)}.`,
        fix: 'Write it as [group], [group:vars] or [group:children], without blanks in the name.',
      }
    }
    if (kind === 'children') {
      groupIn(tree, group).children.add(/^\S+/.exec(line)?.[0] ?? line)
      continue
    }
    if (kind === 'vars') {
      const equals = line.indexOf('=')
      if (equals < 1) {
        return {
          message: `${at} of the inventory is no variable: ${shownWord(line.slice(0, 20))} has no equals sign.`,
          fix: 'Write it as name=value.',
        }
      }
      groupIn(tree, group).variables.set(line.slice(0, equals).trim(), {
        value: literalOf(line.slice(equals + 1).trim()),
      })
      continue
    }
    const problem = addHostLine(tree, { group, line, at })
    if (problem !== undefined) return problem
  }
  return tree
}

/** A number, a word or a quoted text of Python, behind which a comment may stand; behind other text it is no comment. */
const literal = /^(?:(-?\d+|True|False)|(['"])((?:(?!\2)[^\\])*)\2)\s*(?:#.*)?$/

/** Reads a value as Ansible does: as a literal of Python, or else as the text that it is. */
function literalOf(text: string): string {
  const [, word, , quoted] = literal.exec(text) ?? []
  return word ?? quoted ?? text
}

function addHostLine(
  tree: GroupTree,
  { group, line, at }: { readonly group: string; readonly line: string; readonly at: string },
): InventoryProblem | undefined {
  const words = wordsOf(line)
  const [first, ...rest] = words ?? []
  if (words === undefined || first === undefined || /[=]/.test(first)) {
    return {
      message: `${at} of the inventory is no host with variables.`,
      fix: 'Write it as name, then name=value with blanks between them; close each quote.',
    }
  }
  const variables = new Map<string, Variable>()
  for (const word of rest) {
    const equals = word.indexOf('=')
    if (equals < 1) {
      return {
        message: `${at} of the inventory has a word that is no variable.`,
        fix: 'Write each variable as name=value, in quotes if it has blanks.',
      }
    }
    variables.set(word.slice(0, equals), { value: literalOf(word.slice(equals + 1)) })
  }
  return addHosts(tree, { group, pattern: first, variables, withPort: true })
}
