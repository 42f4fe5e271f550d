import { gzipSync } from 'node:zlib'

/** A file or a folder of an archive; it belongs to root. */
export type TarEntry = {
  /** Path with `/` as separator. A folder ends with `/`. */
  readonly path: string
  readonly content: Buffer
  /** Permission bits; default 0600. */
  readonly mode?: number
}

/** A file whose content is packed with gzip already. */
export type PackedTarEntry = Omit<TarEntry, 'content'> & { readonly packed: Buffer }

const block = 512

const paddingOf = (length: number): Buffer => Buffer.alloc((block - (length % block)) % block)

const end = Buffer.alloc(2 * block)

/** Returns the folders that the entries of an archive lie in, parents first, which only root can change. */
export function foldersOf(entries: readonly { readonly path: string }[]): readonly TarEntry[] {
  const parents = new Set(
    entries.flatMap(({ path }) => {
      const parts = path.split('/').slice(0, -1)
      return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)
    }),
  )
  return [...parents].sort().map((path) => ({ path, content: Buffer.alloc(0), mode: 0o755 }))
}

/** Returns a tar archive (POSIX.1-1988, ustar interchange format; longer paths as GNU tar writes them). */
export function createTar(entries: readonly TarEntry[], changed: Date): Buffer {
  const parts = entries.flatMap((entry) => [
    headerOf(entry, entry.content.length, changed),
    entry.content,
    paddingOf(entry.content.length),
  ])
  return Buffer.concat([...parts, end])
}

/**
 * Returns a tar archive packed with gzip. A packed entry becomes a member of its own (RFC 1952, section 2.2), so
 * nobody packs it a second time.
 */
export function createTarGz(entries: readonly (TarEntry | PackedTarEntry)[], changed: Date): Buffer {
  const members: Buffer[] = []
  let waiting: Buffer[] = []
  const flush = (): void => {
    if (waiting.length > 0) members.push(gzipSync(Buffer.concat(waiting)))
    waiting = []
  }
  for (const entry of entries) {
    if ('content' in entry) {
      waiting.push(
        headerOf(entry, entry.content.length, changed),
        entry.content,
        paddingOf(entry.content.length),
      )
      continue
    }
    const size = unpackedSize(entry.packed)
    waiting.push(headerOf(entry, size, changed))
    flush()
    members.push(entry.packed)
    waiting.push(paddingOf(size))
  }
  waiting.push(end)
  flush()
  return Buffer.concat(members)
}

/** Returns the size that a gzip file of one member gives for its content, below 4 GiB. */
export const unpackedSize = (packed: Buffer): number => packed.readUInt32LE(packed.length - 4)

type Header = { readonly path: string; readonly mode?: number }

function headerOf({ path, mode = 0o600 }: Header, size: number, changed: Date): Buffer {
  const type = path.endsWith('/') ? '5' : '0'
  const split = splitPath(path)
  if (split !== undefined) return ustarHeader({ ...split, mode, type }, size, changed)
  const long = Buffer.from(`${path}\0`)
  const link = { prefix: '', name: '././@LongLink', mode: 0, type: 'L' }
  const cut = { prefix: '', name: long.toString('latin1', 0, 100), mode, type }
  return Buffer.concat([
    ustarHeader(link, long.length, changed),
    long,
    paddingOf(long.length),
    ustarHeader(cut, size, changed),
  ])
}

function ustarHeader(
  of: { readonly prefix: string; readonly name: string; readonly mode: number; readonly type: string },
  size: number,
  changed: Date,
): Buffer {
  const header = Buffer.alloc(block)
  const octal = (value: number, at: number, length: number): number =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  header.write(of.name, 0, 100)
  octal(of.mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(changed.getTime() / 1000), 136, 12)
  header.write('        0', 148, 'latin1')
  header.write(of.type, 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write('root', 265, 'latin1')
  header.write('root', 297, 'latin1')
  header.write(of.prefix, 345)
  // Sum of all bytes; its own field counts as spaces.
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** Returns the shortest prefix that leaves a name that fits its field, cut between two parts; undefined if none does. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  const parts = path.split('/')
  for (let cut = 0; cut < parts.length; cut += 1) {
    const [prefix, name] = [parts.slice(0, cut).join('/'), parts.slice(cut).join('/')]
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name }
  }
  return undefined
}
