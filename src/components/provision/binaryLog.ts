/**
 * The format of binary logs of MySQL (MySQL Source Code Documentation, "Binlog Event"): a magic number, then events, each with a
 * header of 19 bytes: time (4), type (1), server (4), length (4), end (4), flags (2); little endian.
 */
const magic = Buffer.from([0xfe, 0x62, 0x69, 0x6e])
const headerLength = 19

/** Bytes of an event that are looked at: the header, and of a GTID flags (1), the source (16) and the number (8). */
const seenLength = headerLength + 25

const types = { format: 15, xid: 16, gtid: 33 } as const

/** Types of events between a GTID and the commit of a transaction of InnoDB: statements, variables, tables and rows. */
const insideTypes: ReadonlySet<number> = new Set([2, 5, 13, 14, 19, 29, 30, 31, 32, 39])

/** Flag of the first event of a log that was not closed. */
const inUse = 1

type LogEvent = { readonly at: number; readonly bytes: Buffer; readonly type: number }

/** Reads a log in pieces. */
function createReader() {
  let kept = Buffer.alloc(0)
  let at = 0
  /** Bytes of the event before that have not come yet. */
  let ahead = 0
  let isSound = true
  return {
    /** Reads the events of a further piece. */
    *read(piece: Buffer): Generator<LogEvent> {
      const skipped = Math.min(ahead, piece.length)
      ahead -= skipped
      kept = Buffer.concat([kept, piece.subarray(skipped)])
      if (at === 0 && kept.length >= magic.length) {
        isSound = kept.subarray(0, magic.length).equals(magic)
        kept = kept.subarray(magic.length)
        at = magic.length
      }
      while (isSound && at > 0 && ahead === 0 && kept.length >= headerLength) {
        const length = kept.readUInt32LE(9)
        isSound = length >= headerLength
        if (kept.length < Math.min(length, seenLength)) break
        const bytes = kept.subarray(0, Math.min(length, seenLength))
        if (isSound) yield { at, bytes, type: bytes.readUInt8(4) }
        at += length
        ahead = Math.max(0, length - kept.length)
        kept = kept.subarray(length)
      }
    },
    /** Returns false for what is no such log. */
    isSound: () => isSound,
    /** Returns true after the last byte of an event. */
    isWhole: () => at > 0 && ahead === 0 && kept.length === 0,
  }
}

/** Returns the GTID of an event: `uuid:number`. */
function gtidOf({ bytes }: LogEvent): string | undefined {
  if (bytes.length < seenLength) return undefined
  const hex = bytes.toString('hex', headerLength + 1, headerLength + 17)
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return `${uuid}:${bytes.readBigUInt64LE(headerLength + 17)}`
}

/** Transactions at the end of a log, and where the first of them begins. */
export type LogEnd = { readonly at: number; readonly gtids: readonly string[] }

/**
 * Finds the transactions at the end of the log of a MySQL that was killed which its engine did not commit. Undefined for none,
 * and wherever one of them could not be taken back by removing it there: nothing but complete transactions of InnoDB may follow
 * the first of them.
 */
export async function findUncommitted(
  log: AsyncIterable<Buffer>,
  isCommitted: (gtid: string) => boolean,
): Promise<LogEnd | undefined> {
  const reader = createReader()
  let at: number | undefined
  let isOpen = false
  const gtids: string[] = []

  /** Returns false where this event rules it out. */
  function see(event: LogEvent): boolean {
    const { type, bytes } = event
    if (type === types.format) return (bytes.readUInt16LE(17) & inUse) !== 0
    if (type === types.gtid) {
      const gtid = gtidOf(event)
      if (gtid === undefined || isOpen) return false
      // The engine commits in the order of the log.
      if (isCommitted(gtid)) return at === undefined
      at ??= event.at
      gtids.push(gtid)
      isOpen = true
      return true
    }
    if (at === undefined) return true
    const wasOpen = isOpen
    isOpen = type !== types.xid
    return wasOpen && (!isOpen || insideTypes.has(type))
  }

  for await (const piece of log) {
    for (const event of reader.read(piece)) if (!see(event)) return undefined
    if (!reader.isSound()) return undefined
  }
  return at === undefined || isOpen || !reader.isWhole() ? undefined : { at, gtids }
}
