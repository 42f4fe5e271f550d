import { dirname, join } from 'node:path'
import { sha256 } from '../../base/sha256.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { UsageError } from '../../cli/usageError.ts'
import { existingPaths, notWritten, writeNewFiles } from '../../cli/writeNewFiles.ts'
import { bundleNames } from '../../deployment/render/applyScript.ts'
import { type BundleFile, bundleFiles } from '../../deployment/render/bundleFiles.ts'
import { readApplyProgram } from '../../deployment/serverProgram.ts'
import { namesOf } from '../selectTargets.ts'
import { hostKeys, keyFile, keysFolder } from './hostKeys.ts'
import { namesIn, noteLeftovers } from './leftovers.ts'
import { type RenderOptions, renderCluster } from './renderCluster.ts'

/** Bundle of one host, before it is packed. */
export type RenderedBundle = {
  readonly host: string
  readonly address: string
  readonly cluster: string
  readonly files: readonly BundleFile[]
  /** SHA-256 of its `SHA256SUMS`, which vouches for every file of the bundle. */
  readonly sums: string
}

/** A file that was written for a host; `sums` is that of the bundle in it. */
type WrittenFile = { readonly path: string; readonly sums?: string }

/** A file that a command writes, by its path below the folder of --out. */
type OutputFile = { readonly path: string; readonly content: Buffer | string; readonly mode?: number }

/** Options of an engine that carries bundles. */
type BundleOptions = RenderOptions & {
  readonly out: string
  readonly folder: string
  readonly force: boolean
  /** File with the age recipient of each host. */
  readonly recipients: string | undefined
}

/**
 * Renders the bundle of each host, one after another, and writes what `pack` makes of it. New keys lie in `keys`, and
 * what must be compared there too. Returns what was written for hosts.
 */
export async function renderBundles(
  options: BundleOptions,
  engine: {
    /** Names of the files that `pack` makes of a host. */
    readonly names: (of: { readonly cluster: string; readonly host: string }) => readonly string[]
    /** Returns true for a name that this engine gives to a file of some host of the cluster. */
    readonly isName: (name: string, cluster: string) => boolean
    readonly pack: (
      bundle: RenderedBundle,
      now: Date,
    ) => readonly OutputFile[] | Promise<readonly OutputFile[]>
  },
): Promise<readonly WrittenFile[]> {
  const { context, out, folder, force, recipients } = options
  const program = await readApplyProgram(context.packageDirectory)
  const { config, hosts, runtime, machines, wanted, keys } = await renderCluster(
    options,
    async (rendered) => {
      const { cluster } = rendered.config
      const names = namesOf(rendered.config.hosts)
      const wanted = names.flatMap((host) => engine.names({ cluster, host }))
      refuseInKeys(wanted, out)
      const there = await existingPaths(wanted.map((name) => join(folder, name)))
      if (there.length > 0 && !force) throw notWritten('exists', { files: there })
      return { ...rendered, wanted, keys: await hostKeys(names, { context, folder, recipients }) }
    },
  )
  for (const [host, { created }] of keys) {
    if (created === undefined) continue
    await write({ path: join(keysFolder, keyFile(host)), content: created.reveal(), mode: 0o600 }, options)
  }
  const written: WrittenFile[] = []
  const sums = new Map<string, string>()
  for (const rendered of hosts) {
    const { name, address } = rendered.target.host
    const key = keys.get(name)
    if (key === undefined) throw new Error(`no key of ${name}`)
    const now = context.now()
    const machine = { machineId: machines.get(name), replaced: options.replaced.includes(name) }
    const of = { muster: context.version, now, ...machine, recipient: key.recipient, program, runtime }
    const files = await bundleFiles(rendered, of)
    const digest = sumsDigest(files)
    const bundle = { host: name, address, cluster: config.cluster, files, sums: digest }
    for (const file of await engine.pack(bundle, now)) {
      await write(file, options)
      sums.set(file.path, sha256(file.content))
      const unpacked = unpackedSums(file.path)
      if (unpacked !== undefined) sums.set(unpacked, digest)
      written.push({ path: join(out, file.path), ...(unpacked === undefined ? {} : { sums: digest }) })
    }
  }
  const isOurs = (name: string): boolean =>
    engine.isName(name, config.cluster) && !wanted.includes(name) && !name.endsWith(`/${bundleNames.sums}`)
  const left = await writeSums(sums, {
    ...options,
    isGone: (name) => config.excluded.length === 0 && isOurs(name),
  })
  if (config.excluded.length > 0) return written
  const own = namesOf(config.hosts).map(keyFile)
  const others = (await namesIn(join(folder, keysFolder))).filter(
    (name) => /\.key$/.test(name) && !own.includes(name),
  )
  noteLeftovers(
    context,
    [...left, ...others.map((name) => join(keysFolder, name))].map((name) => join(out, name)),
  )
  return written
}

function sumsDigest(files: readonly BundleFile[]): string {
  const file = files.find(({ path }) => path === bundleNames.sums)
  if (file === undefined || !('content' in file)) throw new Error(`a bundle without ${bundleNames.sums}`)
  return sha256(file.content)
}

const archiveEnding = /\.(?:tar\.gz|deb)$/

/** Returns the place of a bundle's `SHA256SUMS` once its archive is unpacked; undefined for other files. */
const unpackedSums = (path: string): string | undefined =>
  archiveEnding.test(path) ? `${path.replace(archiveEnding, '')}/${bundleNames.sums}` : undefined

/** Throws a `UsageError` for a host of that name: whoever gets its files would get the keys of all hosts with them. */
function refuseInKeys(names: readonly string[], out: string): void {
  const [name] = names.filter((one) => one.toLowerCase().startsWith(`${keysFolder}/`))
  if (name === undefined) return
  throw new UsageError(
    `${join(out, name)} would lie in the folder of the keys of all hosts.`,
    `Rename the host ${dirname(name)}, or exclude it with --host.`,
  )
}

async function write(
  { path, content, mode = 0o644 }: OutputFile,
  { folder, out, force }: Pick<BundleOptions, 'folder' | 'out' | 'force'>,
): Promise<void> {
  const file = { path: join(folder, path), text: content, mode }
  const failed = await writeNewFiles([file], { force, folder: dirname(file.path) })
  if (failed !== undefined) throw notWritten(failed.outcome, { files: [join(out, path)] })
}

/**
 * Writes the checksums of what travels, and of the sums in it, beside the keys, because they must not travel with it.
 * Lines of hosts that this run left alone stay. Returns the files of hosts that are gone, whose lines stay as long as
 * the files do.
 */
async function writeSums(
  sums: ReadonlyMap<string, string>,
  options: BundleOptions & { readonly isGone: (name: string) => boolean },
): Promise<readonly string[]> {
  const path = join(keysFolder, bundleNames.sums)
  const place = join(options.folder, path)
  const isThere = (await existingPaths([place])).length > 0
  const before = isThere ? (await readInputFile({ path: place, what: 'The checksums' })).text : ''
  const read = before.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    return sum === undefined || name === undefined ? [] : [[name, sum]]
  })
  const gone = read.map(([name]) => name).filter(options.isGone)
  const left: string[] = []
  for (const name of gone) {
    if ((await existingPaths([join(options.folder, name)])).length > 0) left.push(name)
  }
  const dropped = gone.filter((name) => !left.includes(name)).flatMap((name) => [name, unpackedSums(name)])
  const kept = read.filter(([name]) => !dropped.includes(name))
  const lines = [...new Map([...kept, ...sums])].sort().map(([name, sum]) => `${sum}  ${name}\n`)
  await write({ path, content: lines.join('') }, { ...options, force: true })
  return left
}
