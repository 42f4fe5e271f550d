import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const made = `${root}packages/SHA256SUMS`

const changed = (path: string): number => statSync(path).mtimeMs

/** Makes the packages of the programs in dist/ where they are older, and returns their folder. Takes about a minute. */
export function packagesFolder(): string {
  if (!existsSync(made) || changed(made) < changed(`${root}dist/THIRD-PARTY.txt`)) {
    execFileSync('npm', ['run', '--silent', 'build:packages'], { cwd: root, stdio: 'inherit' })
  }
  return `${root}packages`
}
