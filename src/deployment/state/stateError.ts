export type StateErrorCode =
  | 'locked'
  | 'symlink'
  | 'unreadable'
  | 'unwritable'
  | 'damaged'
  | 'changed-meanwhile'
  | 'authority-replaced'
  | 'authority-lost'
  | 'already-exists'
  | 'no-state'
  | 'weak-passphrase'
  | 'wrong-passphrase'
  | 'not-an-archive'
  | 'archive-damaged'
  | 'archive-of-other-cluster'

/** What keeps the operator's state directory from serving: why and the fix, in words for a person. */
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
