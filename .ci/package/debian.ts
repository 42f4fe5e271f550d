import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Architecture } from '../../src/deployment/runtime/pinnedRuntime.ts'

/** Debian's names of the processors. */
export const debianArchitectures: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Returns a version as Debian orders it: behind a hyphen it has its own revision, which is newer than none. */
export const debianVersion = (version: string): string => version.replace('-', '~')

const completionPaths: readonly (readonly [shell: string, path: (program: string) => string])[] = [
  ['bash', (program) => `usr/share/bash-completion/completions/${program}`],
  ['zsh', (program) => `usr/share/zsh/vendor-completions/_${program}`],
  ['fish', (program) => `usr/share/fish/vendor_completions.d/${program}.fish`],
]

/** Reports of lintian that stay, with the reason. */
const overrides = [
  '# The binary is the one that the Node.js project publishes, of which every byte but a flag is kept: stripping it,',
  '# or linking it with other libraries, would make it a Node.js that nobody else runs.',
  'muster: unstripped-binary-or-object [usr/bin/muster]',
  'muster: embedded-library * [usr/bin/muster]',
  'muster: hardening-no-pie [usr/bin/muster]',
]

/** Makes a Debian package of an executable below `folder` and returns its bytes; it has the manual pages of dist/man. */
export function debianPackage(options: {
  readonly folder: string
  readonly architecture: Architecture
  readonly executable: string
  readonly version: string
  readonly epoch: number
  readonly nodeLicence: string
}): Buffer {
  const { folder, architecture, executable, version, epoch, nodeLicence } = options
  const put = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  mkdirSync(join(folder, 'usr/bin'), { recursive: true })
  copyFileSync(executable, join(folder, 'usr/bin/muster'))
  symlinkSync('muster', join(folder, 'usr/bin/tapi'))
  for (const page of readdirSync('dist/man')) {
    put(`usr/share/man/man1/${page}.gz`, packed(readFileSync(join('dist/man', page))))
  }
  for (const program of ['muster', 'tapi']) {
    for (const [shell, path] of completionPaths) {
      put(path(program), execFileSync('node', [`dist/${program}.js`, 'completion', shell]))
    }
  }
  const maintainer = 'The muster authors <muster@users.noreply.github.com>'
  const date = execFileSync('date', ['-R', '-u', `-d@${epoch}`], { encoding: 'utf8' }).trim()
  const changes = `muster (${debianVersion(version)}) unstable; urgency=medium\n\n  * muster ${version}. CHANGELOG.md.gz has the changes.\n\n -- ${maintainer}  ${date}\n`
  put('usr/share/doc/muster/changelog.gz', packed(Buffer.from(changes)))
  put('usr/share/doc/muster/CHANGELOG.md.gz', packed(readFileSync('CHANGELOG.md')))
  put('usr/share/doc/muster/copyright', copyright())
  put('usr/share/doc/muster/LICENSE-nodejs.gz', packed(Buffer.from(nodeLicence)))
  put('usr/share/doc/muster/THIRD-PARTY.txt.gz', packed(readFileSync('dist/THIRD-PARTY.txt')))
  put('usr/share/lintian/overrides/muster', `${overrides.join('\n')}\n`)
  const control = {
    Package: 'muster',
    Version: debianVersion(version),
    Section: 'admin',
    Priority: 'optional',
    Architecture: debianArchitectures[architecture],
    Maintainer: maintainer,
    'Installed-Size': installedSize(folder),
    Depends: 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)',
    Recommends: 'openssh-client',
    Description: `deploys the REST APIs of a database cluster suite
 One YAML file describes every host, its users and its certificates.
 muster shows each change before it makes it, and verifies the login on
 every host afterwards.
 .
 The package contains Node.js: neither this machine nor a host needs
 another one.`,
  }
  const lines = Object.entries(control).map(([name, value]) => `${name}: ${value}\n`)
  put('DEBIAN/control', lines.join(''))
  put('DEBIAN/md5sums', md5sums(folder))
  // Folders below one of a group have its set-group-ID bit, which dpkg-deb refuses.
  execFileSync('chmod', ['-R', 'a-s,u=rwX,go=rX', folder])
  execFileSync('chmod', ['755', join(folder, 'usr/bin/muster')])
  // Level 1 takes a fifth of the time of the usual one, for a package that is 17 % larger.
  const build = ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1', '--build', folder, `${folder}.deb`]
  execFileSync('dpkg-deb', build, {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return readFileSync(`${folder}.deb`)
}

/** Packs as `gzip -9n` does: without name and time. */
const packed = (content: Buffer): Buffer => gzipSync(content, { level: 9 })

/** Returns KiB as deb-substvars(5) counts them, since `du` says something else on each filesystem. */
const installedSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, status) => sum + (status.isFile() ? Math.ceil(status.size / 1024) : 1), 0)

const md5sums = (folder: string): string =>
  execFileSync('sh', ['-c', "find usr -type f | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 md5sum"], {
    cwd: folder,
    encoding: 'utf8',
  })

/** Returns the copyright file in Debian's format; the many licences of Node.js and of the libraries are files beside it. */
const copyright = (): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: muster
Comment: usr/bin/muster contains Node.js, whose licences are in LICENSE-nodejs.gz, and libraries, whose licences are
 in THIRD-PARTY.txt.gz, both in this folder.

Files: *
Copyright: 2026 The muster authors
License: Expat
${readFileSync('LICENSE', 'utf8')
  .trimEnd()
  .split('\n')
  .slice(4)
  .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`))
  .join('\n')}
`
