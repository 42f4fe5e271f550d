import { quote } from '../base/shellWords.ts'

/** It ends with 1 where the packed bytes do; their checksum is judged by zlib. */
const program = `import sys, zlib
unpack = zlib.decompressobj(31)
with open(sys.argv[1], "rb") as packed, open(sys.argv[2], "wb") as to:
    for part in iter(lambda: packed.read(1 << 16), b""):
        to.write(unpack.decompress(part))
    to.write(unpack.flush())
sys.exit(not unpack.eof)`

/**
 * sh command that unpacks a file (gzip, RFC 1952) into another. Python, where a host has it, takes three quarters of
 * gzip's time, a quarter of a second less for the runtime; whatever keeps it from that, gzip does it and says what is
 * wrong.
 */
export const unpack = (packed: string, to: string): string =>
  `python3 -I -S -c ${quote(program)} ${quote(packed)} ${quote(to)} 2>/dev/null || gzip -dc ${quote(packed)} > ${quote(to)}`
