/** Errors of the system in words (errno(3), getaddrinfo(3)), written after a colon. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EAI_AGAIN: 'the name server did not answer',
  EBUSY: 'it is in use',
  ECONNABORTED: 'the connection was aborted',
  ECONNREFUSED: 'the connection was refused: nothing listens there',
  ECONNRESET: 'the other side reset the connection',
  EDQUOT: 'the disk quota is exceeded',
  EEXIST: 'it exists already',
  EHOSTDOWN: 'the host is down',
  EHOSTUNREACH: 'no route to the host',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'it has too many levels of symbolic links',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'no route to the network',
  ENFILE: 'too many files are open on this machine',
  ENOBUFS: 'the system has no memory for more connections',
  ENODEV: 'no such device',
  ENOENT: 'no such file or folder',
  ENOEXEC: 'it is not a program for this machine',
  ENOMEM: 'there is not enough memory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'the name cannot be resolved',
  ENXIO: 'no such device',
  EPERM: 'operation not permitted',
  EPIPE: 'the other side closed the connection',
  EPROTO: 'the other side speaks another protocol',
  EROFS: 'the file system is read-only',
  ETIMEDOUT: 'timed out',
  ETXTBSY: 'the program is running',
  EXDEV: 'it is on another file system',
}

/** Returns the system's code of an error, such as `ENOENT`; undefined for other errors. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Explains a code of the system, such as `ENOENT`; undefined for a code without words here. */
export const systemReason = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(reasons, code) ? reasons[code] : undefined

/** Explains an error of the system: in words, else by its code, else by its message. */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = errorCode(error)
  return code === undefined ? error.message : (systemReason(code) ?? code)
}
