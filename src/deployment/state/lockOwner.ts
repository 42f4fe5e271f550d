import type { ProcessIdentity } from './processIdentity.ts'

/** What a lock file says: whose it is, since when (ISO 8601), and an id that no other lock has. */
export type LockOwner = ProcessIdentity & { readonly id: string; readonly since: string }

/** Reads the content of a lock file; undefined when muster cannot have written it. */
export function parseLockOwner(text: string): LockOwner | undefined {
  try {
    const { pid, started, machine, id, since } = JSON.parse(text) as Record<string, unknown>
    // The id becomes part of a file's name.
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) return undefined
    if (typeof pid !== 'number' || !Number.isInteger(pid)) return undefined
    if (typeof machine !== 'string' || typeof since !== 'string') return undefined
    return { pid, machine, id, since, ...(typeof started === 'string' ? { started } : {}) }
  } catch {
    return undefined
  }
}
