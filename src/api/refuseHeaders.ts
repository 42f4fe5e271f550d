import { ProblemError } from './problemError.ts'

/** Headers that a request may have; Node.js alone would leave out what is beyond 2,000 without a word. */
const mostHeaders = 100

/**
 * Headers that stand once (RFC 9110 section 5.3). Node.js takes the first of two, others the last: a proxy before
 * us would judge one and we the other (RFC 9112 section 3.2 demands it of Host).
 */
const singles: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'origin',
  'sec-fetch-site',
])

/** Refuses a request by its headers as they came, name and value in turn. */
export function refuseHeaders(raw: readonly string[]): void {
  if (raw.length > 2 * mostHeaders) {
    throw new ProblemError({ code: 'headers-too-large', detail: `Send at most ${mostHeaders} headers.` })
  }
  const seen: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? ''
    if (!singles.has(name)) continue
    if (seen.includes(name)) {
      throw new ProblemError({
        code: 'bad-request',
        detail: `The request has more than one header '${name}'.`,
      })
    }
    seen.push(name)
  }
}
