import { readFileSync } from 'node:fs'
import type { Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'

/** A call with curl: user and password go through its configuration on standard input, never its arguments. */
export type ApiCall = {
  readonly address: string
  readonly port: number
  readonly path: string
  readonly user?: string
  readonly password?: string
  /** JSON to POST. */
  readonly body?: unknown
}

/** A value as curl's configuration file quotes it (curl(1), `-K`). */
const quoted = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const authorityOnHost = '/root/authority.crt'

/** Puts the cluster's authority on a host, for its curl. */
export async function trustAuthority(host: LabHost, authorityFile: string): Promise<void> {
  const put = await host.run(`cat > ${authorityOnHost}`, { stdin: readFileSync(authorityFile) })
  if (put.code !== 0) throw new Error(put.stderr)
}

/** Calls an API from a host with its own curl, which verifies the certificate with the authority alone. */
export function callFrom(host: LabHost, call: ApiCall): Promise<Outcome> {
  const login = call.user === undefined ? [] : [`user = ${quoted(`${call.user}:${call.password ?? ''}`)}`]
  const body =
    call.body === undefined
      ? []
      : [`data = ${quoted(JSON.stringify(call.body))}`, 'header = "Content-Type: application/json"']
  const configuration = [
    `url = ${quoted(`https://${call.address}:${call.port}${call.path}`)}`,
    `cacert = ${quoted(authorityOnHost)}`,
    'silent',
    'show-error',
    'max-time = 10',
    'write-out = "\\n%{http_code}"',
    ...login,
    ...body,
    '',
  ].join('\n')
  return host.run('curl -q -K -', { stdin: configuration })
}

/** The HTTP status that `callFrom` printed last; 0 when there was no answer. */
export const statusOf = (outcome: Outcome): number => Number(outcome.stdout.split('\n').at(-1) ?? 0)

/** The JSON that `callFrom` printed before it. */
export const bodyOf = (outcome: Outcome): unknown =>
  JSON.parse(outcome.stdout.slice(0, outcome.stdout.lastIndexOf('\n')))

/** How a TCP port of a host looks from another one. */
export async function portFrom(
  host: LabHost,
  address: string,
  port: number,
): Promise<'open' | 'refused' | 'silent'> {
  const { code } = await host.run(`curl -q -sk -m 5 -o /dev/null https://${address}:${port}/api/v2/ping`)
  if (code === 0) return 'open'
  // curl(1), "EXIT CODES": 7 could not connect, 28 timed out.
  return code === 7 ? 'refused' : 'silent'
}
