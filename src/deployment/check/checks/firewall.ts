import { isLoopback } from '../../../base/address.ts'
import { listOf } from '../../../base/words.ts'
import { listensOf } from '../../desired/listens.ts'
import { opensPort } from '../opensPort.ts'
import type { Check } from '../subject.ts'
import { ok, warning } from '../verdict.ts'

/** A hint, not a proof: whether the rules of a firewall speak of the ports that others should reach. */
export const firewall: Check = {
  id: 'firewall',
  judge: ({ host, facts, seen }) => {
    if (seen.firewall === undefined) {
      return ok(facts.uid === 0 ? 'none was found' : 'not looked at, which takes root')
    }
    const { kind } = seen.firewall
    const reached = host.apis
      .flatMap((api) => listensOf(host, api))
      .filter(({ address }) => !isLoopback(address))
    const open = opensPort(seen.firewall)
    const shut = [...new Set(reached.map(({ port }) => port))].filter((port) => !open(port))
    if (shut.length === 0) return ok(`${kind} is on, and nothing in it was seen to be in the way`)
    return warning(
      `${kind} is on and does not seem to let others reach port ${listOf(shut.map(String))}`,
      `Open what clients should reach: ${openCommand(kind, shut)}. Where a rule of another form does, all is well.`,
    )
  },
}

function openCommand(kind: string, ports: readonly number[]): string {
  if (kind === 'firewalld') {
    return `\`firewall-cmd --permanent ${ports.map((port) => `--add-port=${port}/tcp`).join(' ')} && firewall-cmd --reload\``
  }
  if (kind === 'ufw') return `\`ufw allow proto tcp to any port ${ports.join(',')}\``
  return `a rule such as \`tcp dport { ${ports.join(', ')} } accept\` in the chain with "hook input"`
}
