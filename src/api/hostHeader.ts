/** Names that always mean the host itself, and that no other site can make its own. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The name or address in a Host header, without port and in one spelling; undefined when it is malformed. */
export function hostName(header: string): string | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(header)) return undefined
  try {
    return new URL(`https://${header}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

/**
 * Tells whether a Host header means this server, whose names beside loopback's are these. An allowed IPv6 address
 * may stand with brackets or without.
 */
export function hostCheck(allowed: readonly string[]): (header: string) => boolean {
  const spelled = allowed.map((it) => hostName(/^[0-9a-f]*:[0-9a-f:.]*$/i.test(it) ? `[${it}]` : it))
  const names = new Set([...loopbackNames, ...spelled])
  // Callers repeat themselves: what was judged last need not be read again.
  let latest: string | undefined
  return (header) => {
    if (header === latest) return true
    const name = hostName(header)
    if (name === undefined || !names.has(name)) return false
    latest = header
    return true
  }
}
