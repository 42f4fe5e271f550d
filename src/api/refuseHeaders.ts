import { ProblemError } from './problemError.ts'

/** Headers that a request may have; Node.js alone would leave out what is beyond 2,000 without a word. */
const mostHeaders = 100

/**
 * Headers that stand once (RFC 9110 section 5.3). Node.js takes the first of two, others the last: a proxy before
 * us would judge one and we the other (RFC 9112 section 3.2 demands it of Host).
 */
const singles: readonly string[] = ['host', 'authorization', 'content-type', 'origin', 'sec-fetch-site']

/** Refuses a request by its headers as they came, name and value in turn. */
export function refuseHeaders(raw: readonly string[]): void {
  const names = raw.filter((_it, index) => index % 2 === 0)
  if (names.length > mostHeaders) {
    throw new ProblemError({ code: 'headers-too-large', detail: `Send at most ${mostHeaders} headers.` })
  }
  const twice = singles.find((name) => names.filter((it) => it.toLowerCase() === name).length > 1)
  if (twice === undefined) return
  throw new ProblemError({ code: 'bad-request', detail: `The request has more than one header '${twice}'.` })
}
