/** A file of an archive. */
export type TarEntry = {
  /** Path with `/` as separator; each part has at most 100 bytes, the path at most 255. */
  readonly path: string
  readonly content: Buffer
}

const block = 512

/** Returns a tar archive of regular files, readable by their owner only (POSIX.1-1988, ustar interchange format). */
export function createTar(entries: readonly TarEntry[], changed: Date): Buffer {
  const parts = entries.flatMap(({ path, content }) => [
    headerOf(path, content.length, changed),
    content,
    Buffer.alloc((block - (content.length % block)) % block),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

function headerOf(path: string, size: number, changed: Date): Buffer {
  const header = Buffer.alloc(block)
  const { prefix, name } = splitPath(path)
  const octal = (value: number, at: number, length: number): number =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  header.write(name, 0)
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(changed.getTime() / 1000), 136, 12)
  header.write('        0', 148, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write(prefix, 345)
  // Sum of all bytes; its own field counts as spaces.
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** Returns the longest prefix that fits the prefix field, cut between two parts. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  const parts = path.split('/')
  for (let cut = 0; cut < parts.length; cut += 1) {
    const [prefix, name] = [parts.slice(0, cut).join('/'), parts.slice(cut).join('/')]
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name }
  }
  throw new RangeError(`the path ${path} is too long for a tar archive`)
}
