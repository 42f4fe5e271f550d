import { signal } from '@preact/signals'

/** Places of the page. */
export type Place =
  | { readonly page: 'clusters' }
  | { readonly page: 'cluster' | 'users' | 'certificates' | 'runs'; readonly cluster: string }
  | { readonly page: 'host'; readonly cluster: string; readonly host: string }
  | { readonly page: 'switch'; readonly cluster: string; readonly service: string }
  | { readonly page: 'explain'; readonly code: string }
  /** Opened from a cluster, to which it leads back. */
  | { readonly page: 'explain'; readonly cluster: string; readonly code: string }
  | { readonly page: 'unknown' }

/** Reads the place from the fragment of the URL; `unknown` for any that is not ours. */
export function parsePlace(fragment: string): Place {
  const parts = fragment.replace(/^#?\/?/, '').split('/')
  let words: readonly string[]
  try {
    words = parts.map(decodeURIComponent)
  } catch {
    return { page: 'unknown' }
  }
  const [first = '', second = '', third, fourth, ...more] = words
  if (first === '' && words.length === 1) return { page: 'clusters' }
  if (second === '' || more.length > 0) return { page: 'unknown' }
  if (first === 'explain' && third === undefined) return { page: 'explain', code: second }
  if (first !== 'cluster') return { page: 'unknown' }
  if (third === undefined) return { page: 'cluster', cluster: second }
  if (fourth === undefined && (third === 'users' || third === 'certificates' || third === 'runs')) {
    return { page: third, cluster: second }
  }
  if (fourth !== undefined && fourth !== '') {
    if (third === 'host') return { page: 'host', cluster: second, host: fourth }
    if (third === 'explain') return { page: 'explain', cluster: second, code: fourth }
    if (third === 'switch') return { page: 'switch', cluster: second, service: fourth }
  }
  return { page: 'unknown' }
}

/** Writes a place as the fragment of a link; every part is encoded. */
export function linkTo(place: Exclude<Place, { readonly page: 'unknown' }>): string {
  const path = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`
  switch (place.page) {
    case 'clusters':
      return '#/'
    case 'cluster':
      return path('cluster', place.cluster)
    case 'users':
    case 'certificates':
    case 'runs':
      return path('cluster', place.cluster, place.page)
    case 'host':
      return path('cluster', place.cluster, 'host', place.host)
    case 'switch':
      return path('cluster', place.cluster, 'switch', place.service)
    case 'explain':
      return 'cluster' in place
        ? path('cluster', place.cluster, 'explain', place.code)
        : path('explain', place.code)
  }
}

/** The place that is shown. */
export const place = signal<Place>({ page: 'clusters' })
