import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Architecture, pinnedRuntime } from '../../src/deployment/runtime/pinnedRuntime.ts'

/** A library whose code is in the programs; written by notices.js. */
type Library = {
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly license: string
}

type Lock = { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> }

/**
 * Returns a CycloneDX 1.6 document of what the packages contain: Node.js with the libraries that it names itself, and
 * each library that esbuild put into the programs. Without a random number: the same content gives the same text.
 */
export function sbom(options: {
  readonly version: string
  /** Of the document, in seconds. */
  readonly epoch: number
  /** `process.versions` of the pinned Node.js. */
  readonly nodeVersions: Readonly<Record<string, string>>
}): string {
  const { version, epoch, nodeVersions } = options
  const libraries: readonly Library[] = JSON.parse(
    readFileSync('node_modules/.cache/muster/libraries.json', 'utf8'),
  )
  const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const components = [
    ...(['x64', 'arm64'] as const).map((architecture) => nodeComponent(architecture, nodeVersions)),
    ...libraries.map(({ folder, name, version, license }) =>
      npmComponent({ name, version, license, integrity: lock.packages[folder]?.integrity }),
    ),
  ]
  const root = npmPurl('muster-cluster', version)
  const body = {
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'muster-cluster',
        version,
        licenses: licenceOf('MIT'),
        purl: root,
      },
    },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((one) => one['bom-ref']) }],
  }
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(body))}`
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...body }
  return `${JSON.stringify(document, null, 2)}\n`
}

function nodeComponent(architecture: Architecture, versions: Readonly<Record<string, string>>) {
  const { version, sha256 } = pinnedRuntime
  const name = `node-linux-${architecture}`
  const purl = npmPurl(name, version)
  // Not libraries: Node.js itself, numbers of interfaces, and data.
  const others = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'])
  return {
    type: 'platform',
    'bom-ref': purl,
    name,
    version,
    // Of `bin/node`, of which the executables are made.
    hashes: [{ alg: 'SHA-256', content: sha256[architecture] }],
    licenses: licenceOf('MIT'),
    // Scanners know the vulnerabilities of Node.js by this name, not by npm's package.
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl,
    components: Object.entries(versions)
      // Libraries that this Node.js was built without, such as those of QUIC, have no version.
      .filter(([library, version]) => !others.has(library) && version !== '')
      .map(([library, version]) => ({
        type: 'library',
        'bom-ref': `${purl}#${library}`,
        name: library,
        version,
        purl: `pkg:generic/${library}@${version}`,
      })),
  }
}

function npmComponent({
  name,
  version,
  license,
  integrity,
}: {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly integrity: string | undefined
}) {
  if (integrity?.startsWith('sha512-') !== true) throw new Error(`package-lock.json has no digest of ${name}`)
  const purl = npmPurl(name, version)
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
    licenses: licenceOf(license),
    purl,
  }
}

/** A single identifier of SPDX has a member of its own; `(MIT OR Apache-2.0)` is an expression. */
const licenceOf = (licence: string): readonly object[] =>
  /^[\w.+-]+$/.test(licence) ? [{ license: { id: licence } }] : [{ expression: licence }]

const npmPurl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Returns a UUID of version 8 (RFC 9562) from the digest of a text. */
function uuidOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex')
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}
