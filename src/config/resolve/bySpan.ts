import type { Span } from '../../diagnostics/diagnostic.ts'

/** Gathers what stands at the same place, so that one line in `defaults` makes one finding for all its hosts. */
export function bySpan<T extends { readonly span: Span }>(
  items: readonly T[],
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const key = `${item.span.line}:${item.span.column}:${item.span.file}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

/** Negative when `a` stands before `b`; `files` orders the files. */
export function comparePlaces(a: Span, b: Span, files: readonly string[]): number {
  return files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column
}
