import { HostText } from '../../src/base/hostText.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { callResults, factsNonce } from '../../test/support/cannedHost.ts'

/** All of 127.0.0.0/8 is this machine. */
const addressOf = (index: number): string => `127.20.${Math.floor(index / 250)}.${(index % 250) + 1}`

/** Options for hosts with databases. */
const withDatabases = `
  datasource-type: mariadb
  replication-user: muster
  replication-password: x8Jw-Rt2q_Lm1
  monitor-user: muster_monitor
  monitor-password: x8Jw-Rt2q_Lm2`

/**
 * A cluster of services with ten hosts each: nine with all components, and one that is no member's witness. `ssh` is
 * the way to all of them; each logs in as a user with its own name.
 */
export function largeCluster({
  count,
  databases,
  ssh,
}: {
  readonly count: number
  /** Each member has one, which every host knows as a data source. */
  readonly databases: boolean
  readonly ssh?: Readonly<Record<string, string | number>>
}): string {
  const names = Array.from({ length: count }, (_, index) => `db${index + 1}`)
  const services = Array.from({ length: count / 10 }, (_, index) => {
    const [witness = '', ...members] = names.slice(index * 10, (index + 1) * 10)
    const all = members.join(', ')
    return `  s${index + 1}: { topology: clustered, master: ${members[0]}, members: [${all}], witnesses: [${witness}], connectors: [${all}] }`
  })
  const hosts = names.map(
    (name, index) => `  ${name}: { address: ${addressOf(index)}, ssh: { user: ${name} } }`,
  )
  return `cluster: large
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: x8Jw-Rt2q_Lm0${databases ? withDatabases : ''}
${ssh === undefined ? '' : `ssh: ${JSON.stringify(ssh)}\n`}services:
${services.join('\n')}
hosts:
${hosts.join('\n')}
`
}

/** A host that prints its facts, on which every script goes well after `delay` milliseconds, and every login too. */
export function simulatedHost(
  host: string,
  { delay, facts }: { readonly delay: number; readonly facts: (nonce: string) => string },
): Transport {
  const wait = (): Promise<unknown> =>
    delay === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, delay))
  const answer = (script: string, stdin: unknown): string => {
    const nonce = factsNonce(script)
    if (nonce !== undefined) return facts(nonce)
    return script.includes('muster-api.cjs call') ? callResults(JSON.parse(String(textOf(stdin)))) : ''
  }
  return {
    host,
    run: async (script, options = {}) => {
      await wait()
      return { code: 0, stdout: new HostText(answer(script, options.stdin)), stderr: new HostText('') }
    },
    upload: async () => void (await wait()),
    close: async () => {},
  }
}

function textOf(input: unknown): unknown {
  if (
    typeof input === 'object' &&
    input !== null &&
    'reveal' in input &&
    typeof input.reveal === 'function'
  ) {
    return input.reveal()
  }
  return input
}
