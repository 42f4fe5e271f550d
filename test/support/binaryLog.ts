/** An event of a binary log of MySQL: a GTID with this number, or another type with a body of so many bytes. */
export type LogPart = { readonly gtid: number } | { readonly type: number; readonly length?: number }

/** Server that writes the transactions of such a log. */
export const source = '3e11fa47-71ca-11e1-9e33-c80aa9429562'

/** A transaction of InnoDB: a GTID, BEGIN, a table, rows and the commit. */
export const transaction = (gtid: number, length = 30): readonly LogPart[] => [
  { gtid },
  { type: 2 },
  { type: 19 },
  { type: 30, length },
  { type: 16, length: 8 },
]

function event(type: number, body: Buffer, flags = 0): Buffer {
  const header = Buffer.alloc(19)
  header.writeUInt8(type, 4)
  header.writeUInt32LE(header.length + body.length + 4, 9)
  header.writeUInt16LE(flags, 17)
  // The last four bytes are its checksum.
  return Buffer.concat([header, body, Buffer.alloc(4)])
}

function gtidBody(number: number): Buffer {
  const body = Buffer.alloc(42)
  body.write(source.replaceAll('-', ''), 1, 'hex')
  body.writeBigUInt64LE(BigInt(number), 17)
  return body
}

/** A binary log of MySQL, closed or not. */
export const binaryLog = (parts: readonly LogPart[], { isInUse = true } = {}): Buffer =>
  Buffer.concat([
    Buffer.from([0xfe, 0x62, 0x69, 0x6e]),
    event(15, Buffer.alloc(100), isInUse ? 1 : 0),
    event(35, Buffer.alloc(48)),
    ...parts.map((part) =>
      'gtid' in part
        ? event(33, gtidBody(part.gtid))
        : event(part.type, Buffer.alloc(part.length ?? 20, 0x41)),
    ),
  ])
