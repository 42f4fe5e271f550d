import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { installed } from '../lab/support/requirements.ts'

export const hasKeytool = installed('keytool')
export const hasOpenssl = installed('openssl')
export const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some((one) => one.address === '::1'),
)

/** Options of keytool that halve the work of starting a Java machine. */
export const quickJava = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC', '-J-Xshare:auto']

/** Runs a program; rejects with its output when it fails. Only test passwords pass through here. */
export const runTool = async (program: string, ...words: readonly string[]): Promise<string> => {
  const options = program === 'keytool' ? quickJava : []
  const result = await promisify(execFile)(program, [...options, ...words])
  return result.stdout + result.stderr
}

/** A folder that is gone after the file's tests. */
export function temporaryFolder(): { path(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { path: (name) => join(folder, name) }
}

/** The time at which the test certificates begin, but for those that a real clock must accept. */
export const day = (text: string): Date => new Date(`${text}T12:00:00Z`)
