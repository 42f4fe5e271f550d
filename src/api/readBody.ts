import type { IncomingMessage } from 'node:http'
import { ProblemError } from './problemError.ts'

/** Largest body, in bytes. */
export const bodyLimit = 64 * 1024

const notJson = (): ProblemError =>
  new ProblemError({
    code: 'not-json',
    detail: 'Send the body as JSON, with Content-Type: application/json.',
  })

const tooLarge = (): ProblemError =>
  new ProblemError({
    code: 'body-too-large',
    detail: 'Send at most 65,536 bytes.',
    // What is still on its way belongs to no other request.
    headers: { Connection: 'close' },
  })

/** All that comes. Rejects what is not JSON with its first byte, and with the request's own error when its connection breaks. */
function collect(request: IncomingMessage, isJson: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // It broke while its login was checked, say: it will not tell so again.
    if (request.errored) return reject(request.errored)
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (isJson && length <= bodyLimit) chunks.push(chunk)
      else {
        request.off('data', onData)
        reject(isJson ? tooLarge() : notJson())
      }
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    return undefined
  })
}

/**
 * The body of a request that may have one, of 64 KiB at most; undefined where there is none and no type of one is
 * named. Throws a problem for what is too large, or is not empty and not sent as JSON.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const {
    'content-type': type,
    'content-length': length = '0',
    'transfer-encoding': coding,
  } = request.headers
  if (coding === undefined && length === '0') return type === undefined ? undefined : Buffer.alloc(0)
  const isJson = /^application\/json[\t ]*(;|$)/i.test(type ?? '')
  if (coding === undefined && !isJson) throw notJson()
  if (Number(length) > bodyLimit) throw tooLarge()
  return collect(request, isJson)
}
