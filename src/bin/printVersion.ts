import { writeSync } from 'node:fs'
import { ownPackage } from './ownPackage.ts'

/**
 * Answers `--version` and `-V` alone, before any command is loaded: scripts ask often. False where something
 * else was asked, or the version could not be written: the program proper then says why.
 */
export function printVersion(argv: readonly string[]): boolean {
  if (argv.length !== 1 || !['--version', '-V'].includes(argv[0] ?? '')) return false
  try {
    writeSync(1, `${ownPackage().version}\n`)
    return true
  } catch {
    return false
  }
}
