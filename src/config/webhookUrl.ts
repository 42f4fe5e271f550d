/** Characters of a path segment from which on it may be a token. */
const tokenLength = 16

/** Returns true for text like `B0123ABCDxyz4567`, and false for words such as `deployments-of-alpha`. */
const isLikeToken = (segment: string): boolean =>
  segment.length >= tokenLength && /\d/.test(segment) && /[A-Za-z]/.test(segment)

/**
 * Explains why a URL cannot be called as a webhook, as the end of a sentence; `secret`: in a file it must be a
 * reference. Undefined for a URL that is fine in a file.
 */
export function urlProblem(text: string): string | undefined {
  const problem = unusableUrl(text)
  if (problem !== undefined) return problem
  const url = new URL(text)
  return url.search !== '' || url.pathname.split('/').some(isLikeToken) ? 'secret' : undefined
}

/** Explains why a URL cannot be called as a webhook, wherever it comes from; undefined if it can. */
export function unusableUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:') return 'does not begin with https://'
  if (username !== '' || password !== '') return 'holds a user or a password; use header in its place'
  return hash === '' ? undefined : 'has a part after #, which is never sent'
}
