import { readDocument } from '../document/readDocument.ts'
import { fileNames } from '../knownNames.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { type ReadableText, scrubTree } from './scrubTree.ts'
import type { Work } from './work.ts'

const weakCodes: readonly string[] = ['weak-password', 'default-password']

/** Scrubs a file that YAML understands. Uses up numbers of `names`. */
export function byTree(work: Work, parsed: ReadableText['parsed'], names: Pseudonyms): string {
  const { file, whole, home } = work
  const weak = new Set(
    whole.diagnostics
      .filter(({ code, span }) => weakCodes.includes(code) && span.file === file.name)
      .map(({ span }) => `${span.line}:${span.column}`),
  )
  const { hidden } = readDocument(file, fileNames)
  const readable: ReadableText = {
    text: file.text,
    parsed,
    hidden,
    isWeak: ({ line, column }) => weak.has(`${line}:${column}`),
  }
  const paths = { home, directories: new Map<string, string>(), fallback: file.directory }
  return scrubTree(readable, { names, paths })
}
