import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { looksSecret } from '../document/hide.ts'
import { options } from '../settings/options.ts'
import { type Import, tell } from './import.ts'
import { keep } from './importOption.ts'
import type { IniComment, IniItem, IniOption, IniUnread } from './iniFile.ts'
import { isMusterComment, readMusterComment } from './musterComment.ts'
import { carried } from './remarks.ts'
import { valueFromComment } from './settingValue.ts'
import { targetOf } from './target.ts'
import { commentText, secretAfter, type TextLine } from './textLine.ts'

/** What `muster export` writes above everything; it says nothing of the configuration. */
export const exportMark = 'muster export'

/** Puts what a comment for muster says where it belongs; false when it cannot be understood. */
function takeMusterComment(found: Import, comment: IniComment): boolean {
  const read = readMusterComment(comment.text)
  const target = read === undefined ? undefined : targetOf(read.path)
  if (read === undefined || target === undefined) return false
  const { value, path } = read
  if (target.kind === 'host-order') {
    if (value.kind !== 'list' || found.hostOrder.length > 0) return false
    for (const host of value.items) found.hostOrder.push(host)
    return true
  }
  if (target.kind === 'service-name') {
    const { section } = target
    if (value.kind !== 'text' || !found.services.has(section) || found.names.has(section)) return false
    found.names.set(section, value.text)
    return true
  }
  const { group, setting } = target
  if (group.kind === 'service-options' && !found.services.has(group.of)) return false
  const written = valueFromComment(setting, value)
  if (written === undefined) return false
  if (group.kind.startsWith('host') && 'of' in group && !found.hosts.has(group.of)) {
    found.hosts.set(group.of, undefined)
  }
  const instead = secretAfter(`given again below, line ${comment.line}: `, commentText(comment.text))
  const from = { spelling: path, keySpan: comment.span, instead }
  keep(found, group, { kind: 'kept', name: setting.name, value: written, above: [], from })
  return true
}

/** Takes a comment: one for muster says something, any other goes on in the YAML file. */
function takeComment(found: Import, comment: IniComment): readonly TextLine[] {
  if (comment.text === '' || comment.text.startsWith(exportMark)) return []
  if (looksSecret(comment.text) || comment.text.includes(options.users.name)) {
    found.hidden.push(comment.span)
  }
  if (!isMusterComment(comment.text)) return [carried(comment.text)]
  if (takeMusterComment(found, comment)) return []
  const at: Diagnostic['span'] = comment.span
  found.hidden.push(at)
  tell(found, 'ini-muster-comment', { facts: {}, span: at })
  return [secretAfter('muster: ', commentText(comment.text.slice('muster:'.length).trimStart()))]
}

/** An option or an unread line with the comments above it; the last one may be comments alone. */
export type Step = { readonly above: readonly TextLine[]; readonly item?: IniOption | IniUnread }

/** Items in their order, comments attached to what they stand above. */
export function stepsOf(found: Import, items: readonly IniItem[]): readonly Step[] {
  const steps: Step[] = []
  let above: TextLine[] = []
  for (const item of items) {
    if (item.kind === 'comment') {
      above.push(...takeComment(found, item))
      continue
    }
    if (item.kind === 'unread') found.hidden.push(item.span)
    steps.push({ above, item })
    above = []
  }
  return above.length === 0 ? steps : [...steps, { above }]
}
