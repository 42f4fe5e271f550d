import { ProblemError } from './problemError.ts'

/** Names that always mean the host itself, and that no other site can make its own. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Returns the name or address in a Host header, without port and in one spelling; undefined when it is malformed. */
function hostName(header: string): string | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(header)) return undefined
  try {
    return new URL(`https://${header}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

/**
 * Returns a check of Host headers against these names and those of loopback. An allowed IPv6 address
 * may stand with brackets or without.
 */
export function hostCheck(allowed: readonly string[]): (header: string) => boolean {
  const spelled = allowed.map((it) => hostName(/^[0-9a-f]*:[0-9a-f:.]*$/i.test(it) ? `[${it}]` : it))
  const names = new Set([...loopbackNames, ...spelled])
  // Callers repeat themselves: the last valid header needs no second check.
  let latest: string | undefined
  return (header) => {
    if (header === latest) return true
    const name = hostName(header)
    if (name === undefined || !names.has(name)) return false
    latest = header
    return true
  }
}

/** Returns true if a browser says that a page of another site makes this call (contract.md, "Guarded operations"). */
export function isCrossSite(facts: {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  /** Scheme and host that the caller used, such as `https://db1:8090`. */
  readonly own: string
}): boolean {
  if (facts.fetchSite?.toLowerCase() === 'cross-site') return true
  if (facts.origin === undefined) return false
  try {
    return new URL(facts.origin).origin !== new URL(facts.own).origin
  } catch {
    return true
  }
}

/** Headers that a request may have; Node.js alone would leave out what is beyond 2,000 without a word. */
const mostHeaders = 100

/**
 * Headers that stand once (RFC 9110 section 5.3). Node.js takes the first of two, others the last: a proxy before
 * us would check one and we the other (RFC 9112 section 3.2 demands it of Host).
 */
const singles: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'origin',
  'sec-fetch-site',
])

/** Rejects a request by its raw headers, name and value in turn. */
export function rejectHeaders(raw: readonly string[]): void {
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
