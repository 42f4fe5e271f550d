/** Numbers and words of a version; undefined where it is none (semver.org, 2.0.0). */
function parse(
  version: string,
): { readonly numbers: readonly number[]; readonly before: readonly string[] } | undefined {
  const [, numbers, before] =
    /^(\d{1,9}\.\d{1,9}\.\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version) ?? []
  if (numbers === undefined) return undefined
  return { numbers: numbers.split('.').map(Number), before: before?.split('.') ?? [] }
}

/** Whether the first version comes after the second (semver.org, section 11); what is no version comes after none. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [parse(version), parse(than)]
  if (one === undefined || other === undefined) return false
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  // A version comes after what was tried before it.
  if (one.before.length === 0 || other.before.length === 0) {
    return one.before.length === 0 && other.before.length > 0
  }
  for (let index = 0; ; index += 1) {
    const [mine, theirs] = [one.before[index], other.before[index]]
    if (mine === undefined || theirs === undefined) return mine !== undefined
    if (mine !== theirs) return isAfter(mine, theirs)
  }
}

/** Words come after numbers, numbers in their order, words in that of ASCII. */
function isAfter(word: string, than: string): boolean {
  const [number, other] = [word, than].map((text) => (/^\d+$/.test(text) ? Number(text) : undefined))
  if (number !== undefined && other !== undefined) return number > other
  if (number !== undefined || other !== undefined) return number === undefined
  return word > than
}
