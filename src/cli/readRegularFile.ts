import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { readBoundedFile, UnfitFileError } from '../base/boundedFile.ts'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import { isBelow } from '../secrets/policy.ts'
import type { FileReading } from '../secrets/sources.ts'

/** Reason why a file was not read; `reason` follows its name in a sentence. */
type ReadFailure = Extract<FileReading, { ok: false }>

/** A file of this machine and its permission bits. */
export type RegularFile = { readonly ok: true; readonly content: Buffer; readonly mode: number } | ReadFailure

const outside = (reason: string): ReadFailure => ({ ok: false, problem: 'outside', reason })

/** Converts an error of `readBoundedFile` or of the system. */
export function readFailure(error: unknown): ReadFailure {
  if (error instanceof UnfitFileError) return { ok: false, problem: 'unfit', reason: error.reason }
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { ok: false, problem: 'missing', reason: 'does not exist' }
  }
  return { ok: false, problem: 'unreadable', reason: `cannot be read: ${systemErrorText(error)}` }
}

/**
 * Reads a file that may be named by a stranger: neither pipe, device nor more than `maxBytes` bytes, and with
 * `below` none that links lead out of that folder. Never rejects.
 */
export async function readRegularFile(
  path: string,
  limits: { readonly maxBytes: number; readonly below?: string },
): Promise<RegularFile> {
  const { maxBytes, below } = limits
  if (below !== undefined && !isBelow(path, below)) {
    return outside('is outside the folder of the YAML file')
  }
  try {
    const real = await realpath(path)
    if (below !== undefined && !isBelow(real, await realpath(below))) {
      return outside('is a link to a place outside the folder of the YAML file')
    }
    const { content, mode = 0 } = await readBoundedFile(real, { maxBytes, flags: constants.O_NOFOLLOW })
    return { ok: true, content, mode }
  } catch (error) {
    return readFailure(error)
  }
}
