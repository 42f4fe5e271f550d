import { sha256 } from '../../base/sha256.ts'

/** The end of a chain of lines: the digest that the next one builds on, and the number of the last. */
export type Link = { readonly digest: string; readonly seq: number }

/** Builds on nothing. */
export const chainStart: Link = { digest: '0'.repeat(64), seq: 0 }

const marked = /^(\{.*),"chain":"([0-9a-f]{64})"\}$/

/**
 * Adds to a JSON object its number and the digest of the digest before and itself; `opens` says that it stands first in
 * its file, and names what that continues. No newline.
 */
export function appendToChain(
  json: string,
  previous: Link,
  opens: boolean,
): { readonly line: string; readonly link: Link } {
  const seq = previous.seq + 1
  const continues = opens ? `,"continues":"${previous.digest}"` : ''
  const body = `${json.slice(0, -1)},"seq":${seq}${continues}}`
  const digest = sha256(previous.digest + body)
  return { line: `${body.slice(0, -1)},"chain":"${digest}"}`, link: { digest, seq } }
}

type ChainedLine = { readonly body: string; readonly link: Link; readonly continues: string | undefined }

/** Reads a line of a chain; undefined for any other. */
function parseChainedLine(line: string): ChainedLine | undefined {
  const [, begin, digest] = marked.exec(line) ?? []
  if (begin === undefined || digest === undefined) return undefined
  const body = `${begin}}`
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || !('seq' in value)) return undefined
    const continues = 'continues' in value ? value.continues : undefined
    if (typeof value.seq !== 'number' || !Number.isSafeInteger(value.seq)) return undefined
    if (continues !== undefined && typeof continues !== 'string') return undefined
    return { body, link: { digest, seq: value.seq }, continues }
  } catch {
    return undefined
  }
}

/** Continues the chain behind a line that a killed writer or a full disk left half-written. */
const linkPastTornLine = ({ digest, seq }: Link, torn: string): Link => ({
  digest: sha256(digest + torn),
  seq,
})

/** Returns the last link in the last lines of a file; undefined if none of them is chained. */
export function lastLink(lines: readonly string[]): Link | undefined {
  const last = lines.findLastIndex((line) => parseChainedLine(line) !== undefined)
  const found = parseChainedLine(lines[last] ?? '')
  return (
    found &&
    lines
      .slice(last + 1)
      .filter((line) => line !== '')
      .reduce(linkPastTornLine, found.link)
  )
}

/** Result of verifying a chain of lines. */
export type ChainResult = {
  /** Lines of the chain, and the number of the first one that is still there: 1, or later ones after a rotation. */
  readonly lines: number
  readonly first: number | null
  /** The end of the chain; who noted it elsewhere sees whether the whole was written anew. */
  readonly last: Link | null
  /** Lines before the first one of the chain, such as one that a killed writer left incomplete: nothing proves them. */
  readonly unchained: number
  /** Half-written lines within the chain, which it covers. */
  readonly torn: number
  /** The first line that does not fit: number within its file, from 1 on. */
  readonly fault: { readonly file: string; readonly line: number; readonly reason: string } | null
}

/** Verifies a chain line by line, oldest file first. */
export function createChainVerifier() {
  let end: Link | undefined
  let [lines, unchained, torn, pending] = [0, 0, 0, 0]
  let first: number | null = null
  let last: Link | null = null
  let fault: ChainResult['fault'] = null

  /** Returns why a line does not fit; undefined if it does. */
  const problemOf = ({ body, link, continues }: ChainedLine): string | undefined => {
    if (end === undefined && continues === undefined) return 'the lines before it are missing'
    const before = end?.digest ?? continues ?? ''
    if (continues !== undefined && continues !== before) return 'lines or files before it are missing'
    if (sha256(before + body) !== link.digest) {
      return 'it was changed, or lines before it were changed, removed or moved'
    }
    if (end !== undefined && link.seq !== end.seq + 1)
      return 'its number does not follow the number of the line before'
    return undefined
  }

  const addLine = (file: string, number: number, line: string): void => {
    if (fault !== null || line === '') return
    const found = parseChainedLine(line)
    if (found === undefined) {
      if (end === undefined) unchained += 1
      else {
        end = linkPastTornLine(end, line)
        pending += 1
      }
      return
    }
    const reason = problemOf(found)
    if (reason !== undefined) {
      fault = { file, line: number, reason }
      return
    }
    end = found.link
    last = found.link
    first ??= found.link.seq
    lines += 1
    torn += pending
    pending = 0
  }

  return {
    addLine,
    fail: (file: string, number: number, reason: string): void => {
      fault ??= { file, line: number, reason }
    },
    /** `isTorn`: the last file ends within a line, as after a writer that was killed. */
    result(file: string, number: number, isTorn: boolean): ChainResult {
      if (fault === null && pending > (isTorn ? 1 : 0)) {
        fault = { file, line: number, reason: 'the last lines do not belong to the chain' }
      }
      return { lines, first, last, unchained, torn: torn + pending, fault }
    },
  }
}
