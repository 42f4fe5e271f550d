import type { FirewallSeen, Observations } from './observations.ts'

const kinds: readonly string[] = ['firewalld', 'ufw', 'nftables']
const isKind = (word: string | undefined): word is FirewallSeen['kind'] => kinds.includes(word ?? '')

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

/** It is going to be removed: nothing but names that we give, and no way out of the folder. */
const isOurs = (path: string): boolean =>
  /^[\w./-]+$/.test(path) &&
  !path.split('/').includes('..') &&
  /^(?:(?:releases|runtimes)\/\.new-[^/]+|(?:[^/]+\/)*\.[^/]+\.muster-[0-9a-f]{16})$/.test(path)

/** Turns what the script printed into observations. `asked`: when the script was sent, by our clock. */
export function parseObservations(output: string, asked: Date): Observations {
  const rows = output.split('\n').map((line) => line.split('\t'))
  const row = (key: string): readonly string[] => rows.find(([name]) => name === key) ?? []
  const [, libc] = row('libc')
  const [, kind, rules] = row('firewall')
  return {
    // BusyBox has no %N: then it is whole seconds.
    clockOffset: Math.round(Number.parseFloat(row('clock')[1] ?? '') * 1000 - asked.getTime()),
    ...(libc ? { libc } : {}),
    resolved: new Map(
      rows.flatMap(([key, name, addresses = '']) =>
        key === 'name' && name !== undefined
          ? [[name, addresses.split(' ').filter((address) => address !== '')] as const]
          : [],
      ),
    ),
    leftovers: rows.flatMap(([key, path = '']) => (key === 'leftover' && isOurs(path) ? [path] : [])),
    hostsFile: decode(row('hosts-file')[1]),
    ...(isKind(kind) ? { firewall: { kind, rules: decode(rules) } } : {}),
  }
}
