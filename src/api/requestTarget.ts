/** Target of a request in parts (RFC 9112 section 3.2). */
export type RequestTarget = {
  /**
   * Path without query. Percent-encoded unreserved characters are decoded once (RFC 3986 section 6.2.2.2); every other
   * escape stays, so a `%2F` never becomes a separator, and dot segments are not resolved.
   */
  readonly path: string
  /** Absent without a question mark. */
  readonly query?: string
  /** Scheme in lower case and authority of a target in absolute form, which take the place of the Host header. */
  readonly origin?: { readonly scheme: string; readonly authority: string }
}

/** `scheme://authority/path?query`, with a path that may be empty. */
const absoluteForm = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?]*)/i

const unreserved = /[A-Za-z0-9._~-]/

const decodeUnreserved = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16))
    return unreserved.test(character) ? character : written
  })

/** Returns true if every percent sign of a path begins a character in UTF-8. */
export function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Reads the target of a request; one that is in neither form is a path that no route has. */
export function readTarget(target: string): RequestTarget {
  const mark = target.indexOf('?')
  const query = mark < 0 ? {} : { query: target.slice(mark + 1) }
  const beforeQuery = mark < 0 ? target : target.slice(0, mark)
  const [, scheme, authority = '', rest = ''] = absoluteForm.exec(beforeQuery) ?? []
  const written = scheme === undefined ? beforeQuery : rest || '/'
  // What cannot be decoded as a whole is refused, and told as it came.
  const path = written.includes('%') && isDecodable(written) ? decodeUnreserved(written) : written
  return {
    path,
    ...query,
    ...(scheme === undefined ? {} : { origin: { scheme: scheme.toLowerCase(), authority } }),
  }
}
