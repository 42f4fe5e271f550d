import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { YamlNode } from './node.ts'

/** A finding for each name that a map holds twice; it stands at the later one and names the earlier. */
export function duplicates(node: YamlNode): readonly Diagnostic[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(duplicates)
  const first = new Map<string, (typeof node.entries)[number]>()
  return node.entries.flatMap((entry) => {
    const within = duplicates(entry.value)
    const earlier = first.get(entry.key)
    if (earlier === undefined) {
      first.set(entry.key, entry)
      return within
    }
    const name = entry.hidden === true ? redacted : entry.key
    const related = [{ message: 'The first one is here.', span: earlier.keySpan }]
    return [...within, diagnose('duplicate-key', { name }, { span: entry.keySpan, related })]
  })
}
