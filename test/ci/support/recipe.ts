import { blocksOf } from '../../support/pages.ts'
import type { Release } from './release.ts'

/** What docs/guide/ci.md shows as the address and the digest of a release, for users to replace. */
const shownUrl = 'https://files.example.org/muster-cluster-0.1.0.tgz'
const shownSha256 = '0'.repeat(64)

/** Returns the YAML block of docs/guide/ci.md whose first line is a comment with this text, without that line. */
export function recipe(name: string): string {
  const block = blocksOf('docs/guide/ci.md').find(({ text }) => text.startsWith(`# ${name}\n`))
  if (block === undefined) throw new Error(`docs/guide/ci.md does not show ${name}`)
  return block.text.slice(block.text.indexOf('\n') + 1)
}

/** The recipe with the address and the digest of a release, as users write their own into it. */
export function recipeFor(name: string, { url, sha256 }: Pick<Release, 'url' | 'sha256'>): string {
  const text = recipe(name)
  for (const shown of [shownUrl, shownSha256]) {
    if (text.split(shown).length !== 2) throw new Error(`${name} does not show ${shown} once`)
  }
  return text.replace(shownUrl, url).replace(shownSha256, sha256)
}
