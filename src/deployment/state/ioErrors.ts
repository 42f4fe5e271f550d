import { StateError } from './stateError.ts'

/** The system's own code of a failed file operation, such as `ENOENT`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
}

/** Turns a failed file operation into a `StateError`; bugs and `StateError`s stay what they are. */
export function stateIoError(error: unknown, did: 'read' | 'write', path: string): unknown {
  const code = systemCode(error)
  if (error instanceof StateError || code === undefined) return error
  if (code === 'ELOOP') return symlinkError(path)
  return new StateError({
    code: did === 'read' ? 'unreadable' : 'unwritable',
    message: `cannot ${did} ${path}: ${reasons[code] ?? code}`,
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
