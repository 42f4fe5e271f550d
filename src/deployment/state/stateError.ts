import { errorCode, systemReason } from '../../base/systemErrors.ts'

type StateErrorCode =
  | 'locked'
  | 'symlink'
  | 'unreadable'
  | 'unwritable'
  | 'damaged'
  | 'changed-meanwhile'
  | 'authority-replaced'
  | 'authority-lost'
  | 'shared-by-all'
  | 'already-exists'
  | 'no-state'
  | 'weak-passphrase'
  | 'wrong-passphrase'
  | 'not-an-archive'
  | 'archive-damaged'
  | 'archive-of-other-cluster'

/** Problem of the operator's state directory, with the reason and the fix. */
export class StateError extends Error {
  readonly code: StateErrorCode
  readonly fix: string

  constructor(facts: { code: StateErrorCode; message: string; fix: string; cause?: unknown }) {
    super(facts.message, { cause: facts.cause })
    this.name = 'StateError'
    this.code = facts.code
    this.fix = facts.fix
  }
}

/** Converts a failed file operation to a `StateError`; bugs and `StateError`s stay unchanged. */
export function stateIoError(error: unknown, did: 'read' | 'write', path: string): unknown {
  const code = errorCode(error)
  if (error instanceof StateError || code === undefined) return error
  if (code === 'ELOOP') return symlinkError(path)
  return new StateError({
    code: did === 'read' ? 'unreadable' : 'unwritable',
    message: `cannot ${did} ${path}: ${systemReason(code) ?? code}`,
    fix:
      did === 'read'
        ? 'run muster as the user who owns the state directory, or change its owner with chown'
        : 'make the folder writable for your user and check the free disk space; existing files are unchanged',
    cause: error,
  })
}

/** Reports a symbolic link in place of the state's own folder or file. */
export const symlinkError = (path: string): StateError =>
  new StateError({
    code: 'symlink',
    message: `${path} is a symbolic link, so its secrets could end up anywhere`,
    fix: 'replace the link with the real folder or file, or move the YAML file to the real folder',
  })
