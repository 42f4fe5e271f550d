/** Whether a browser says that a page of another site makes this call (contract.md, "Guarded operations"). */
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
