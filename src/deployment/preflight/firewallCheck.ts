import { isLoopback } from '../../base/address.ts'
import { listOf } from '../../base/words.ts'
import { listenersOf } from '../desired/componentSettings.ts'
import { type Check, ok, warning } from './checkContract.ts'
import type { ObservedFirewall } from './observe.ts'

/**
 * Warns about firewall rules that seem to block the ports that others should reach; it cannot prove that they are
 * open.
 */
export const firewallCheck: Check = {
  id: 'firewall',
  describe: ({ host, facts, observed: { firewall } }) => {
    if (firewall === undefined) {
      return ok(facts.uid === 0 ? 'no firewall found' : 'not checked: needs root')
    }
    const { kind } = firewall
    const reached = host.apis
      .flatMap((api) => listenersOf(host, api))
      .filter(({ address }) => !isLoopback(address))
    const isOpen = openPorts(firewall)
    const blocked = [...new Set(reached.map(({ port }) => port))].filter((port) => !isOpen(port))
    if (blocked.length === 0) return ok(`${kind} is active, and no rule seems to block the ports`)
    return warning(
      `${kind} is active and seems to block port ${listOf(blocked.map(String))}`,
      `Open the ports that clients use: ${openCommand(kind, blocked)}. Ignore this if another rule already allows them.`,
    )
  },
}

/**
 * Returns a predicate for the TCP ports that a firewall seems to open: sources are ignored, and unknown rules count
 * as open. firewalld: `--list-all`; ufw: user.rules; nftables: `list ruleset`.
 */
function openPorts({ kind, rules }: ObservedFirewall): (port: number) => boolean {
  if (kind === 'firewalld') {
    if (/^ *target: ACCEPT/m.test(rules) || !/^ *ports:/m.test(rules)) return () => true
    const lists = [...rules.matchAll(/^ *ports: *(.*)$|port port="([^"]+)" protocol="tcp"/gm)]
    const tcp = lists.map(([, list = '', port = '']) => `${list.replaceAll(/\S+\/(?!tcp)\S+/g, '')} ${port}`)
    return (port) => tcp.some((list) => hasPort(list.replaceAll('/tcp', ''), port))
  }
  if (kind === 'ufw') {
    if (/^DEFAULT_INPUT_POLICY="?ACCEPT/m.test(rules)) return () => true
    const lists = [...rules.matchAll(ufwTuple)].map(([, list = '']) => list)
    return (port) => lists.some((list) => list === 'any' || hasPort(list, port))
  }
  if (!/hook input [^\n]*policy drop/.test(rules)) return () => true
  const lists = [...rules.matchAll(/dport (\{[^}]*\}|\S+)/g)].map(([, list = '']) => list)
  return (port) => lists.some((list) => list.startsWith('@') || hasPort(list, port))
}

/** Ports in ufw's comments: `### tuple ### allow tcp 8090 0.0.0.0/0 any 10.0.0.0/8 in`. */
const ufwTuple = /^### tuple ### (?:allow|limit)\S* (?:tcp|any) (\S+) /gm

/** Returns true if a list such as `22,8000:8100` or `{ 22, 8000-8100 }` includes a port. */
const hasPort = (list: string, port: number): boolean =>
  [...list.matchAll(/(\d+)(?:[-:](\d+))?/g)].some(
    ([, first, last]) => Number(first) <= port && port <= Number(last ?? first),
  )

function openCommand(kind: ObservedFirewall['kind'], ports: readonly number[]): string {
  if (kind === 'firewalld') {
    return `\`firewall-cmd --permanent ${ports.map((port) => `--add-port=${port}/tcp`).join(' ')} && firewall-cmd --reload\``
  }
  if (kind === 'ufw') return `\`ufw allow proto tcp to any port ${ports.join(',')}\``
  return `a rule such as \`tcp dport { ${ports.join(', ')} } accept\` in the chain with "hook input"`
}
