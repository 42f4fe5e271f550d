import { errorCode } from '../../base/systemErrors.ts'
import { openTrustedHandle, readFlags } from '../../base/trustedFile.ts'

/** Bytes at the end of an audit log that are read, and lines at most. */
const limits = { bytes: 512 * 1024, lines: 500 }

/** Reads the last whole lines of an audit log, oldest first; follows no link. Rejects with the system's error. */
export async function lastAuditLines(path: string): Promise<readonly string[]> {
  try {
    const { handle, stats } = await openTrustedHandle(path, readFlags)
    try {
      const length = Math.min(stats.size, limits.bytes)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, stats.size - length)
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
      // The last one has not ended yet, and the first one may have begun before.
      return lines.slice(length < stats.size ? 1 : 0, -1).slice(-limits.lines)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
