import { readFileSync } from 'node:fs'
import type { Release } from './release.ts'

/** What README.md and the guide show as the address and the digest of a release, for users to replace. */
const shownUrl = 'https://files.example.org/muster-cluster-0.1.0.tgz'
const shownSha256 = '0'.repeat(64)

/** The YAML block of README.md or docs/guide/ci.md whose first line is a comment with this file name, without that line. */
export function recipe(name: string): string {
  const pages = ['README.md', 'docs/guide/ci.md'].map((path) => readFileSync(path, 'utf8'))
  const blocks = pages.flatMap((page) => [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text))
  const block = blocks.find((text) => text?.startsWith(`# ${name}\n`))
  if (block === undefined) throw new Error(`neither README.md nor docs/guide/ci.md shows ${name}`)
  return block.slice(block.indexOf('\n') + 1)
}

/** The recipe with the address and the digest of a release, as users write their own into it. */
export function recipeFor(name: string, { url, sha256 }: Pick<Release, 'url' | 'sha256'>): string {
  const text = recipe(name)
  for (const shown of [shownUrl, shownSha256]) {
    if (text.split(shown).length !== 2) throw new Error(`${name} does not show ${shown} once`)
  }
  return text.replace(shownUrl, url).replace(shownSha256, sha256)
}
