import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = ['src', 'docs/findings', 'docs/options', '.ci', 'package.json', 'package-lock.json']
/** The build writes it last. */
const product = 'dist/THIRD-PARTY.txt'

/** When a file, or anything in a folder, was changed last. */
function changed(path: string): number {
  const status = statSync(path)
  if (!status.isDirectory()) return status.mtimeMs
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => changed(join(path, name))))
}

/** Builds the programs once before the tests where they are older than their source: no test runs an older build. */
export function setup(): void {
  const made = join(root, product)
  const newest = Math.max(...sources.map((source) => changed(join(root, source))))
  if (existsSync(made) && statSync(made).mtimeMs > newest) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}
