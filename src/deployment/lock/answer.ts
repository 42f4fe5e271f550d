import { lastLines } from '../../base/printable.ts'
import { parseRunOwner, type RunOwner } from './runOwner.ts'

/** A lock as its host tells of it. */
export type HeldLock = {
  /** Undefined where no muster can have written it. */
  readonly owner: RunOwner | undefined
  /** When it was taken, by the host's clock (RFC 3339). */
  readonly since: string
  /** Seconds since the last heartbeat, by the host's own count. */
  readonly idle: number
}

/** The first line of what a lock script printed, and the rest of it. */
export type LockAnswer =
  | { readonly kind: 'taken' | 'free' }
  | { readonly kind: 'held'; readonly lock: HeldLock }
  | { readonly kind: 'failed'; readonly why: string }

/** Reads the first line of a lock script's output; `rest` is what the script behind it printed. */
export function parseLockAnswer(output: string): { readonly answer: LockAnswer; readonly rest: string } {
  const end = output.indexOf('\n')
  const [line, rest] = end === -1 ? [output, ''] : [output.slice(0, end), output.slice(end + 1)]
  const [kind, ...values] = line.split('\t')
  if (kind === 'taken' || kind === 'free') return { answer: { kind }, rest }
  if (kind === 'held') return { answer: { kind, lock: heldLock(values) }, rest }
  return { answer: { kind: 'failed', why: kind === 'failed' ? lastLines(values[0] ?? '') : '' }, rest }
}

function heldLock([idle, since, owner]: readonly string[]): HeldLock {
  return {
    owner: parseRunOwner(Buffer.from(owner ?? '', 'base64').toString('utf8')),
    since: /^[\d:TZ-]{1,32}$/.test(since ?? '') ? (since ?? '') : 'an unknown time',
    idle: /^\d{1,9}$/.test(idle ?? '') ? Number(idle) : 0,
  }
}
