import type { FirewallSeen } from './observations.ts'

/** Whether a list such as `22,8000:8100` or `{ 22, 8000-8100 }` has a port. */
const has = (list: string, port: number): boolean =>
  [...list.matchAll(/(\d+)(?:[-:](\d+))?/g)].some(
    ([, first, last]) => Number(first) <= port && port <= Number(last ?? first),
  )

/** Ports of ufw's own notes: `### tuple ### allow tcp 8090 0.0.0.0/0 any 10.0.0.0/8 in`. */
const ufwTuple = /^### tuple ### (?:allow|limit)\S* (?:tcp|any) (\S+) /gm

/**
 * What the rules of a firewall say about TCP ports, as far as a glance tells: who may come is not looked at, and
 * what is not understood counts as open. firewalld: `--list-all`; ufw: user.rules; nftables: `list ruleset`.
 */
export function opensPort({ kind, rules }: FirewallSeen): (port: number) => boolean {
  if (kind === 'firewalld') {
    if (/^ *target: ACCEPT/m.test(rules) || !/^ *ports:/m.test(rules)) return () => true
    const lists = [...rules.matchAll(/^ *ports: *(.*)$|port port="([^"]+)" protocol="tcp"/gm)]
    const tcp = lists.map(([, list = '', port = '']) => `${list.replaceAll(/\S+\/(?!tcp)\S+/g, '')} ${port}`)
    return (port) => tcp.some((list) => has(list.replaceAll('/tcp', ''), port))
  }
  if (kind === 'ufw') {
    if (/^DEFAULT_INPUT_POLICY="?ACCEPT/m.test(rules)) return () => true
    const lists = [...rules.matchAll(ufwTuple)].map(([, list = '']) => list)
    return (port) => lists.some((list) => list === 'any' || has(list, port))
  }
  if (!/hook input [^\n]*policy drop/.test(rules)) return () => true
  const lists = [...rules.matchAll(/dport (\{[^}]*\}|\S+)/g)].map(([, list = '']) => list)
  return (port) => lists.some((list) => list.startsWith('@') || has(list, port))
}
