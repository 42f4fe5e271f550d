import type { IncomingMessage } from 'node:http'
import { Value } from 'typebox/value'
import type { FieldError } from '../contracts/envelope.ts'
import { fieldErrors } from '../contracts/fieldErrors.ts'
import type { Route } from '../contracts/route.ts'
import { ProblemError } from './problemError.ts'

const refuse = (detail: string): ProblemError => new ProblemError({ code: 'malformed-json', detail })

/**
 * Refuses what JSON.parse takes in silence, although two readers may understand it differently: a key twice
 * in one object, and `__proto__`. The text is well-formed JSON already.
 */
function rejectAmbiguousKeys(text: string): void {
  const open: (Set<string> | undefined)[] = []
  for (const match of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g)) {
    const [token, colon] = match
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length))
      const keys = open.at(-1)
      if (key === '__proto__') throw refuse("The key '__proto__' is not allowed in the body.")
      if (keys?.has(key)) throw refuse(`The body has the key ${JSON.stringify(key)} twice in one object.`)
      keys?.add(key)
    }
  }
}

/** Reads a JSON body in UTF-8. Throws a `malformed-json` problem that says what is wrong, never with a value. */
function parseStrictJson(body: Buffer): unknown {
  if (body.length === 0) throw refuse('This call needs a body, and the body is empty.')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw refuse('The body is not UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The message quotes the text around the fault, which may be a password: only the position is passed on.
    const place = /at position \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    throw refuse(`The body is not valid JSON${place ? `: error ${place}` : ''}.`)
  }
  rejectAmbiguousKeys(text)
  return value
}

/** Largest body, in bytes. */
const bodyLimit = 64 * 1024

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

/** Collects the body. Rejects at its first byte if it is not JSON, and with the request's error if that breaks. */
function collect(request: IncomingMessage, isJson: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // It may have broken while its login was checked: no further event follows.
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
 * Reads the body of a request, of 64 KiB at most; undefined where there is none and no type of one is
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

/** Findings beyond this number say nothing more. */
const mostErrors = 20

const invalid = (detail: string, errors: readonly FieldError[]): ProblemError =>
  new ProblemError({ code: 'invalid-body', detail, errors })

/** Rejects content that the call would ignore. */
function rejectContent(body: unknown): void {
  if (body === undefined || body === null) return
  const [member] = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : ['']
  if (member === undefined) return
  throw invalid('This call takes no body. Send it without one.', [
    { path: member && `/${member}`, message: 'is not allowed' },
  ])
}

/** Parses a body and checks it against the schema of the route; throws a problem if it does not match. */
export function checkBody({ request }: Route, bytes: Buffer | undefined): unknown {
  // Clients name the type of what they might have sent: a call that takes nothing gets nothing.
  const isNone = bytes === undefined || (bytes.length === 0 && request === null)
  const body = isNone ? undefined : parseStrictJson(bytes)
  if (request === null) {
    rejectContent(body)
    return undefined
  }
  if (Value.Check(request, body)) return body
  const errors = Value.Errors(request, body)
    // The member that does not belong there is found twice.
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap((finding) => fieldErrors(finding))
    .slice(0, mostErrors)
  const [first] = errors
  const where = first?.path ? `member ${first.path}` : 'the body'
  throw invalid(
    first ? `Invalid body: ${where} ${first.message}.` : 'The body does not match the schema.',
    errors,
  )
}
