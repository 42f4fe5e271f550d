type Range = { readonly type: string; readonly quality: number }

const readRanges = (header: string): readonly Range[] =>
  header.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase())
    const weight = parameters.find((it) => it.startsWith('q='))?.slice(2)
    const quality = weight === undefined ? 1 : Number(weight)
    return { type, quality: Number.isNaN(quality) ? 0 : quality }
  })

/**
 * How much the caller of an Accept header wants a media type, 0 to 1; the most specific range decides
 * (RFC 9110 section 12.5.1). No header wants everything.
 */
export function wanted(header: string | undefined, mediaType: string): number {
  if (header === undefined || header === '*/*' || header.trim() === '') return 1
  const ranges = readRanges(header)
  const family = `${mediaType.split('/')[0]}/*`
  for (const type of [mediaType, family, '*/*']) {
    const range = ranges.find((it) => it.type === type)
    if (range) return range.quality
  }
  return 0
}

export const problemJson = 'application/problem+json'

/** Whether the caller names that type, not only by a range that holds everything. */
export const namesProblemJson = (header: string | undefined): boolean =>
  header !== undefined && readRanges(header).some(({ type, quality }) => type === problemJson && quality > 0)

/** Whether errors go out bare, as RFC 9457 has them: the caller names that type and does not like JSON more. */
export const wantsBareProblem = (header: string | undefined): boolean =>
  namesProblemJson(header) &&
  wanted(header, problemJson) >=
    (header?.includes('application/json') ? wanted(header, 'application/json') : 0)
