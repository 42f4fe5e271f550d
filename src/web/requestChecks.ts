import type { IncomingMessage } from 'node:http'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { boundedBytes } from '../base/boundedBytes.ts'
import { parseJson } from '../base/json.ts'
import { dashboardHeader } from '../contracts/dashboard.ts'
import { fieldErrors } from '../contracts/fieldErrors.ts'
import type { ReadonlyStatic } from '../contracts/schemaParts.ts'
import { DashboardError } from './dashboardError.ts'

/** The server as its browsers name it. */
export type OwnNames = {
  readonly scheme: 'http' | 'https'
  /** Returns true for a Host header that names this server: another one leads here by the DNS of a stranger. */
  readonly isOwnHost: (header: string) => boolean
}

/** Headers that stand once: of two, a proxy might check one and we the other. */
const singles = [
  'host',
  'origin',
  'sec-fetch-site',
  'content-type',
  'cookie',
  dashboardHeader.name.toLowerCase(),
]

const refuse = (code: DashboardError['code'], detail: string): DashboardError =>
  new DashboardError({ code, detail })

function rejectRepeated(raw: readonly string[]): void {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const twice = singles.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice) throw refuse('bad-request', `The request has more than one header '${twice}'.`)
}

const crossSite = (): DashboardError =>
  refuse('cross-site', 'A page of another site makes this request, as its headers say.')

/** Refuses a request to another server's name, of whatever page. */
export function checkHost({ headers, rawHeaders }: IncomingMessage, { isOwnHost }: OwnNames): void {
  rejectRepeated(rawHeaders)
  if (headers.host !== undefined && isOwnHost(headers.host)) return
  throw refuse('unknown-host', 'The Host header does not name this server. Open the address that it printed.')
}

/** Refuses a request for data that no page of this server makes. */
export function checkSite({ headers, method }: IncomingMessage, { scheme }: OwnNames): void {
  const { origin, 'sec-fetch-site': site } = headers
  // Other ports of the same name are the same site, and another server.
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && method !== 'POST'))
    throw crossSite()
  if (origin === undefined && method !== 'POST') return
  // Browsers leave out the port that the scheme has by itself, in both headers.
  if (origin === undefined || origin !== `${scheme}://${headers.host}`.toLowerCase()) throw crossSite()
}

/** Refuses a request to change something that a form or a plain link could make. */
export function checkChange({ headers }: IncomingMessage): void {
  const { name, value } = dashboardHeader
  if (headers[name.toLowerCase()] !== value) {
    throw refuse('cross-site', `Requests that change something need the header '${name}: ${value}'.`)
  }
  if (!/^application\/json(; *charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw refuse('not-json', 'Send the body as JSON, with Content-Type: application/json.')
  }
}

/** Largest body, in bytes. */
const bodyLimit = 64 * 1024

const tooLarge = (): DashboardError =>
  new DashboardError({
    code: 'body-too-large',
    detail: 'Send at most 65,536 bytes.',
    // What is still on its way belongs to no other request.
    headers: { Connection: 'close' },
  })

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return reject(tooLarge())
    if (request.errored) return reject(request.errored)
    const body = boundedBytes(bodyLimit)
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > bodyLimit) {
        request.off('data', onData)
        reject(tooLarge())
      } else body.push(chunk)
    }
    request.on('data', onData)
    request.once('end', () => resolve(body.bytes()))
    request.once('error', reject)
    return undefined
  })
}

/** Reads a body that the schema accepts. Throws a `DashboardError` that never quotes a value. */
export async function readJson<Schema extends TSchema>(
  request: IncomingMessage,
  schema: Schema,
): Promise<ReadonlyStatic<Schema>> {
  const bytes = await collect(request)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('malformed-json', 'The body is not UTF-8.')
  }
  const value = parseJson(text)
  if (value === undefined) throw refuse('malformed-json', 'The body is not well-formed JSON.')
  rejectInvalid(schema, value)
  return value as ReadonlyStatic<Schema>
}

/** Throws an `invalid-body` error with the first member that the schema does not accept. */
export function rejectInvalid(schema: TSchema, value: unknown): void {
  if (Value.Check(schema, value)) return
  const [first] = Value.Errors(schema, value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap((finding) => fieldErrors(finding))
  const where = first?.path ? `member ${first.path}` : 'the body'
  throw refuse('invalid-body', `Invalid body: ${where} ${first?.message ?? 'does not match'}.`)
}

/** Reads the query of a request, which has exactly these members, each once and not empty. */
export function readQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const given = new URLSearchParams(query)
  const wanted: readonly string[] = names
  const unknown = [...given.keys()].some((name) => !wanted.includes(name))
  const values = names.map((name) => [name, given.getAll(name)] as const)
  if (unknown || values.some(([, all]) => all.length !== 1 || all[0] === '' || (all[0]?.length ?? 0) > 300)) {
    const list = names.length === 0 ? 'no parameters' : `exactly the parameters ${names.join(' and ')}`
    throw refuse('invalid-query', `The query of this path takes ${list}.`)
  }
  return Object.fromEntries(values.map(([name, [value]]) => [name, value])) as Record<Name, string>
}
