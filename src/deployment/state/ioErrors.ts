import { errorCode, systemReason } from '../../base/systemErrors.ts'
import { StateError } from './stateError.ts'

/** Turns a failed file operation into a `StateError`; bugs and `StateError`s stay what they are. */
export function stateIoError(error: unknown, did: 'read' | 'write', path: string): unknown {
  const code = errorCode(error)
  if (error instanceof StateError || code === undefined) return error
  if (code === 'ELOOP') return symlinkError(path)
  return new StateError({
    code: did === 'read' ? 'unreadable' : 'unwritable',
    message: `cannot ${did} ${path}: ${systemReason(code) ?? code}`,
    fix:
      did === 'read'
        ? 'run muster as the user who owns the state directory, or give it back to that user with chown'
        : 'make the folder writable for you and see that the disk has room; what was there is unchanged',
    cause: error,
  })
}

/** A symbolic link where the state's own folder or file must be. */
export const symlinkError = (path: string): StateError =>
  new StateError({
    code: 'symlink',
    message: `${path} is a symbolic link, so its secrets could end up anywhere`,
    fix: 'put the real folder or file in its place, or move the YAML file to where the folder is',
  })
