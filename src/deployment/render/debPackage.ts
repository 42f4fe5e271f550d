import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { quote } from '../../base/shellWords.ts'
import { createTarGz, foldersOf, type PackedTarEntry, type TarEntry, unpackedSize } from '../../base/tar.ts'
import { compactTime } from '../../base/time.ts'
import { identityPath } from './applyScript.ts'
import type { BundleFile } from './bundleFiles.ts'

type DebBundle = {
  readonly cluster: string
  readonly host: string
  readonly muster: string
  readonly architecture: 'x64' | 'arm64'
  readonly files: readonly BundleFile[]
  /** SHA-256 of its `SHA256SUMS`: what dpkg installed may have been changed since. */
  readonly sums: string
}

/** Nobody reads mail of a package that an operator makes for one host. */
const maintainer = (cluster: string): string => `operators of ${cluster} <operators@muster.invalid>`

const architectures = { x64: 'amd64', arm64: 'arm64' } as const

/** Returns the name of the package of one host; names of packages have few characters (Debian policy 5.6.1). */
export const debName = ({ cluster, host }: Pick<DebBundle, 'cluster' | 'host'>): string =>
  `muster-bundle-${cluster}-${host}`.toLowerCase().replaceAll(/[^a-z0-9+.-]/g, '-')

/** Returns the version of a package: a later bundle is newer, also one of the same muster. */
const debVersion = (muster: string, now: Date): string =>
  `${muster.replaceAll('-', '~')}+${compactTime(now).toLowerCase()}`

/** Returns the package (deb(5)) that carries the bundle of one host, and its file name without time. */
export function debPackage(bundle: DebBundle, now: Date): Buffer {
  const name = debName(bundle)
  const control = [
    { path: './control', content: Buffer.from(controlText(bundle, name, now)), mode: 0o644 },
    { path: './md5sums', content: Buffer.from(md5sums(dataOf(bundle, name, now))), mode: 0o644 },
    { path: './postinst', content: Buffer.from(postinst(bundle, name)), mode: 0o755 },
    { path: './prerm', content: Buffer.from(prerm(bundle, name)), mode: 0o755 },
  ]
  return ar(
    [
      { name: 'debian-binary', content: Buffer.from('2.0\n') },
      { name: 'control.tar.gz', content: createTarGz([...foldersOf(control), ...control], now) },
      { name: 'data.tar.gz', content: createTarGz(dataOf(bundle, name, now), now) },
    ],
    now,
  )
}

/** Folder of the bundle on the host. */
const placeOf = (name: string): string => `/usr/lib/${name}`

function dataOf(bundle: DebBundle, name: string, now: Date): readonly (TarEntry | PackedTarEntry)[] {
  const docs = `./usr/share/doc/${name}`
  const entries: (TarEntry | PackedTarEntry)[] = [
    ...bundle.files.map((file) => ({ ...file, path: `.${placeOf(name)}/${file.path}` })),
    { path: `${docs}/copyright`, content: Buffer.from(copyright), mode: 0o644 },
    { path: `${docs}/changelog.gz`, content: changelog(bundle, name, now), mode: 0o644 },
    {
      path: `./usr/share/lintian/overrides/${name}`,
      content: Buffer.from(
        [
          '# The Node.js of nodejs.org as it is; it carries its own libraries.',
          `${name}: unstripped-binary-or-object [usr/lib/${name}/root/*]`,
          `${name}: embedded-library * [usr/lib/${name}/root/*]`,
          `${name}: hardening-no-pie [usr/lib/${name}/root/*]`,
          '# Started by Node.js.',
          `${name}: script-not-executable [usr/lib/${name}/root/*]`,
          '# Sealed, and nevertheless for root alone.',
          `${name}: non-standard-file-perm * [usr/lib/${name}/secrets.age]`,
          '',
        ].join('\n'),
      ),
      mode: 0o644,
    },
  ]
  return [...foldersOf(entries), ...entries]
}

function controlText(
  { cluster, host, muster, architecture, files }: DebBundle,
  name: string,
  now: Date,
): string {
  const bytes = files.reduce(
    (sum, file) => sum + ('packed' in file ? unpackedSize(file.packed) : file.content.length),
    0,
  )
  return `Package: ${name}
Version: ${debVersion(muster, now)}
Architecture: ${architectures[architecture]}
Maintainer: ${maintainer(cluster)}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6
Section: admin
Priority: optional
Description: host ${host} of the cluster ${cluster}, rendered by muster
 Brings this machine to the state of one host of a database cluster: the REST
 APIs of its components with their certificates and users. Its secrets are
 sealed; the key is expected in ${identityPath(cluster)}.
 .
 Removing the package removes the installation.
`
}

function md5sums(entries: readonly (TarEntry | PackedTarEntry)[]): string {
  return entries
    .filter(({ path }) => !path.endsWith('/'))
    .map((entry) => {
      const content = 'packed' in entry ? gunzipSync(entry.packed) : entry.content
      return `${createHash('md5').update(content).digest('hex')}  ${entry.path.slice(2)}\n`
    })
    .join('')
}

const postinst = ({ cluster, sums }: DebBundle, name: string): string => `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  ${quote(`${placeOf(name)}/apply`)} --sums ${sums} --identity ${quote(identityPath(cluster))}
fi
`

const prerm = ({ sums }: DebBundle, name: string): string => `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  ${quote(`${placeOf(name)}/apply`)} --sums ${sums} --uninstall
fi
`

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: muster
Source: https://www.npmjs.com/package/muster-cluster

Files: *
Copyright: 2026 the authors of muster, of Node.js and of the libraries in its programs
License: Expat
 Permission is hereby granted, free of charge, to any person obtaining a copy
 of this software and associated documentation files (the "Software"), to deal
 in the Software without restriction, including without limitation the rights
 to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 copies of the Software, and to permit persons to whom the Software is
 furnished to do so, subject to the following conditions:
 .
 The above copyright notice and this permission notice shall be included in
 all copies or substantial portions of the Software.
 .
 THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
 THE SOFTWARE.
`

const changelog = ({ host, cluster, muster }: DebBundle, name: string, now: Date): Buffer =>
  gzipSync(
    `${name} (${debVersion(muster, now)}) unstable; urgency=medium

  * Render the host ${host} of the cluster ${cluster}.

 -- ${maintainer(cluster)}  ${now.toUTCString().replace('GMT', '+0000')}
`,
    { level: 9 },
  )

/** Returns an archive of ar(5), as deb(5) wants it. */
function ar(members: readonly { readonly name: string; readonly content: Buffer }[], now: Date): Buffer {
  const time = String(Math.floor(now.getTime() / 1000))
  const parts = members.flatMap(({ name, content }) => [
    Buffer.from(
      `${name.padEnd(16)}${time.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
      'latin1',
    ),
    content,
    Buffer.alloc(content.length % 2, '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
