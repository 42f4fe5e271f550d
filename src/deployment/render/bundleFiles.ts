import { sha256 } from '../../base/sha256.ts'
import type { PackedTarEntry, TarEntry } from '../../base/tar.ts'
import { Secret } from '../../secrets/secret.ts'
import { applyScript, bundleNames, bundlePaths } from './applyScript.ts'
import { type BundleOrigin, describeBundle } from './bundleDescription.ts'
import { bundleReadme } from './bundleReadme.ts'
import type { RenderedHost } from './renderedHost.ts'
import { type Sealed, seal } from './seal.ts'

/** A file of a bundle; its path is below the bundle's folder. */
export type BundleFile = (TarEntry | PackedTarEntry) & { readonly mode: number }

/** Returns the files of the bundle of one host; the secrets are sealed for `recipient`. */
export async function bundleFiles(
  rendered: RenderedHost,
  of: BundleOrigin & {
    readonly recipient: string
    /** `muster-apply.cjs`. */
    readonly program: Buffer
    /** Node.js, packed with gzip. */
    readonly runtime: Buffer
  },
): Promise<readonly BundleFile[]> {
  const description = describeBundle(rendered, of)
  const paths = bundlePaths(description)
  const plain = (path: string, content: Buffer | string, mode = 0o644) => ({
    ...{ path, mode, content: Buffer.from(content) },
    sum: sha256(content),
  })
  const below = (path: string): string => `${bundleNames.root}${path}`
  const files = [
    plain(bundleNames.readme, bundleReadme(description)),
    plain(bundleNames.apply, applyScript(description), 0o755),
    plain(bundleNames.description, `${JSON.stringify(description, null, 2)}\n`),
    plain(bundleNames.program, of.program),
    ...rendered.publicFiles.map(({ path, content }) => plain(below(path), content)),
    plain(below(paths.release), rendered.release.program.content),
    { path: below(paths.node), packed: of.runtime, mode: 0o755, sum: description.runtime.sha256 },
  ]
  const sums = files.map(({ sum, path }) => sumLine(path, sum)).join('')
  const secrets = await seal(secretsOf(rendered, sha256(sums)), of.recipient)
  const allSums = `${sums}${sumLine(bundleNames.secrets, sha256(secrets))}`
  return [
    ...files.map(({ sum: _, ...file }) => file),
    { path: bundleNames.secrets, content: secrets, mode: 0o600 },
    { path: bundleNames.sums, content: Buffer.from(allSums), mode: 0o644 },
  ]
}

/** Returns a line of `SHA256SUMS` (sha256sum(1)). */
const sumLine = (path: string, sum: string): string => `${sum}  ${path}\n`

function secretsOf({ secretFiles, users }: RenderedHost, sums: string): Sealed {
  return {
    version: 1,
    sums,
    files: secretFiles.map(({ path, content }) =>
      content instanceof Secret
        ? { path, text: content.reveal() }
        : { path, base64: content.toString('base64') },
    ),
    users: users.map(({ user, access, hash, password, previous }) => ({
      user,
      ...(access === undefined ? {} : { access }),
      ...(hash === undefined ? {} : { hash }),
      ...(password === undefined ? {} : { password: password.reveal() }),
      ...(previous === undefined ? {} : { previous: previous.reveal() }),
    })),
  }
}
