import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../src/base/sha256.ts'
import { type Architecture, pinnedRuntime, runtimePackage } from '../src/deployment/runtime/pinnedRuntime.ts'
import { debianArchitectures, debianPackage } from './package/debian.ts'
import { buildPrograms, makeExecutable } from './package/executable.ts'
import { npmTarball } from './package/npmTarball.ts'
import { sbom } from './package/sbom.ts'

// Makes packages/: executables, Debian packages, npm's package, an SBOM and their checksums. The same commit, packages of
// npm and Node.js give the same bytes, wherever and whenever it runs.

process.umask(0o022)
const env = process.env
const work = join(process.cwd(), 'node_modules/.cache/muster/package')
const { version }: { readonly version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
const epoch = Number(
  env.SOURCE_DATE_EPOCH || execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }),
)
const files = new Map<string, Buffer | string>()

for (const folder of [work, 'packages']) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

/** Fetches the pinned Node.js; its binary must be the one whose digest is in the code. */
function fetchNode(architecture: Architecture): { readonly binary: string; readonly licence: string } {
  const folder = join(work, architecture)
  mkdirSync(folder)
  execFileSync('npm', ['pack', runtimePackage(architecture), '--silent', '--pack-destination', folder])
  const archive = `node-linux-${architecture}-${pinnedRuntime.version}.tgz`
  execFileSync('tar', ['-xf', archive, 'package/bin/node', 'package/LICENSE'], { cwd: folder })
  const binary = join(folder, 'package/bin/node')
  if (sha256(readFileSync(binary)) !== pinnedRuntime.sha256[architecture]) {
    throw new Error(`the checksum of the binary in ${archive} does not match`)
  }
  return { binary, licence: readFileSync(join(folder, 'package/LICENSE'), 'utf8') }
}

const nodes = { x64: fetchNode('x64'), arm64: fetchNode('arm64') }
const runnable = nodes[process.arch === 'arm64' ? 'arm64' : 'x64'].binary
const programs = await buildPrograms(join(work, 'programs'), runnable)
for (const architecture of ['x64', 'arm64'] as const) {
  const { binary, licence: nodeLicence } = nodes[architecture]
  const made = makeExecutable({ node: readFileSync(binary), programs, version })
  const executable = join(work, `muster-linux-${architecture}`)
  writeFileSync(executable, made, { mode: 0o755 })
  files.set(`muster-linux-${architecture}`, made)
  const folder = join(work, `debian-${architecture}`)
  files.set(
    `muster_${version}_${debianArchitectures[architecture]}.deb`,
    debianPackage({ folder, architecture, executable, version, epoch, nodeLicence }),
  )
}
files.set(`muster-cluster-${version}.tgz`, npmTarball(join(work, 'npm')))
const nodeVersions = JSON.parse(
  execFileSync(runnable, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
)
files.set(`muster-${version}.cdx.json`, sbom({ version, epoch, nodeVersions }))
for (const [name, content] of files) {
  writeFileSync(join('packages', name), content, { mode: name.startsWith('muster-linux') ? 0o755 : 0o644 })
}
const sums = [...files].map(([name, content]) => `${sha256(content)}  ${name}\n`)
writeFileSync(
  'packages/SHA256SUMS',
  sums.sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)).join(''),
)
rmSync(work, { recursive: true })
