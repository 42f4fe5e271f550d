import { closeSync, existsSync, readSync } from 'node:fs'
import { openTrusted, readFlags } from '../../base/trustedFile.ts'
import { reasonOf } from '../startError.ts'
import { auditFileLimits } from './auditFile.ts'
import { type ChainResult, createChainVerifier } from './hashChain.ts'

const chunkBytes = 64 * 1024
const longestLine = 1024 * 1024

/** Verifies the chain of an audit log through its files, oldest first; reads a line at a time and follows no link. */
export function verifyAudit(path: string, most: number = auditFileLimits.files): ChainResult {
  const older = Array.from({ length: most - 1 }, (_, index) => `${path}.${index + 1}`)
  const files = [...older.filter((file) => existsSync(file)).toReversed(), path]
  const chain = createChainVerifier()
  let number = 0
  let isTorn = false

  const readFile = (file: string): void => {
    const { file: descriptor } = openTrusted(file, readFlags)
    const chunk = Buffer.alloc(chunkBytes)
    let rest = Buffer.alloc(0)
    number = 0
    try {
      for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
        const bytes = Buffer.concat([rest, chunk.subarray(0, read)])
        const end = bytes.lastIndexOf('\n')
        rest = Buffer.from(bytes.subarray(end + 1))
        for (const line of bytes.toString('utf8', 0, Math.max(end, 0)).split('\n')) {
          if (end < 0) break
          number += 1
          chain.addLine(file, number, line)
        }
        if (rest.length > longestLine) {
          chain.fail(file, number + 1, 'it is longer than 1 MB')
          return
        }
      }
      isTorn = rest.length > 0
      if (!isTorn) return
      number += 1
      chain.addLine(file, number, rest.toString('utf8'))
    } finally {
      closeSync(descriptor)
    }
  }

  let latest = path
  for (const file of files) {
    latest = file
    try {
      readFile(file)
    } catch (error) {
      chain.fail(file, 0, `it cannot be read: ${reasonOf(error)}`)
    }
  }
  const result = chain.result(latest, number, isTorn)
  // The writer itself takes only what would be one file too many.
  if (result.fault !== null || (result.first ?? 1) === 1 || files.length === most) return result
  const reason = `lines 1 to ${(result.first ?? 1) - 1} are missing, and no rotation has removed them`
  return { ...result, fault: { file: files[0] ?? path, line: 1, reason } }
}
