import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { StartError } from '../../api/startError.ts'
import { Secret } from '../../secrets/secret.ts'

/**
 * Algorithm of streams between two roots by way of managers, which may neither read nor change them: parts, each with its number
 * as the nonce, under a key that is used once. Before each part is its length; the last one is empty, and sealed as such,
 * so that a stream that broke off is none.
 */
const algorithm = 'aes-256-gcm'

const bytes = { length: 4, tag: 16 } as const

/** Bytes of a part at most. */
const longestPart = 1024 * 1024

/** Reads a key from its hexadecimal digits; undefined for anything else. */
export const streamKey = (digits: string): Secret | undefined =>
  /^[0-9a-f]{64}$/.test(digits) ? new Secret(digits) : undefined

/** Returns the nonces of a stream, one for each part. */
function nonces(): () => Buffer {
  let count = 0n
  return () => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(count, 4)
    count += 1n
    return nonce
  }
}

const kindOf = (part: { readonly isLast: boolean }): Buffer => Buffer.from([part.isLast ? 1 : 0])

/** Returns a stream that seals what passes; its end only once `whole` resolves, which says that nothing is missing. */
export function sealed(key: Secret, whole: Promise<unknown> = Promise.resolve()): Transform {
  const secret = Buffer.from(key.reveal(), 'hex')
  const next = nonces()
  const seal = (part: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv(algorithm, secret, next())
    cipher.setAAD(kindOf({ isLast }))
    const length = Buffer.alloc(bytes.length)
    length.writeUInt32BE(part.length)
    const text = cipher.update(part)
    cipher.final()
    return Buffer.concat([length, text, cipher.getAuthTag()])
  }
  return new Transform({
    highWaterMark: longestPart,
    transform(chunk: Buffer, _encoding: string, done: TransformCallback) {
      for (let at = 0; at < chunk.length; at += longestPart) {
        this.push(seal(chunk.subarray(at, at + longestPart), false))
      }
      done()
    },
    flush(done: TransformCallback) {
      whole.then(() => done(null, seal(Buffer.alloc(0), true)), done)
    },
  })
}

const broken = (how: string): StartError => new StartError(`the stream ${how}`)

/**
 * Returns a stream of what `sealed` took; calls `onBytes` with the bytes so far. It fails with a `StartError` where that was
 * changed, or did not come to its end.
 */
export function opened(key: Secret, onBytes: (count: number) => void = () => undefined): Transform {
  const secret = Buffer.from(key.reveal(), 'hex')
  const next = nonces()
  let kept: Buffer[] = []
  let size = 0
  let count = 0
  let isComplete = false
  const open = (part: Buffer): Buffer => {
    const decipher = createDecipheriv(algorithm, secret, next())
    const end = part.length - bytes.tag
    decipher.setAAD(kindOf({ isLast: end === 0 }))
    decipher.setAuthTag(part.subarray(end))
    const text = decipher.update(part.subarray(0, end))
    decipher.final()
    return text
  }
  return new Transform({
    highWaterMark: longestPart,
    transform(chunk: Buffer, _encoding: string, done: TransformCallback) {
      kept.push(chunk)
      size += chunk.length
      while (size >= bytes.length) {
        const [first] = kept
        if (first === undefined || first.length < bytes.length) kept = [Buffer.concat(kept)]
        const length = (kept[0] as Buffer).readUInt32BE()
        if (length > longestPart) return done(broken('has a part that is too long'))
        const whole = bytes.length + length + bytes.tag
        if (size < whole) break
        const all = kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept)
        kept = [all.subarray(whole)]
        size = all.length - whole
        if (isComplete) return done(broken('goes on after its end'))
        try {
          this.push(open(all.subarray(bytes.length, whole)))
        } catch {
          return done(broken('was changed on its way'))
        }
        isComplete = length === 0
        count += length
      }
      onBytes(count)
      done()
    },
    flush(done: TransformCallback) {
      done(isComplete && size === 0 ? null : broken('broke off before its end'))
    },
  })
}
