import { counted } from '../../base/words.ts'
import type { AuditChain } from '../../deployment/verifyAuditChains.ts'
import { paint } from '../paint.ts'

type HostChains = { readonly host: string; readonly chains: readonly AuditChain[] }

/** Writes one line per audit log: result of its verification, and the last entry of its chain. */
export function auditChainsText(hosts: readonly HostChains[], colour: boolean): string {
  const { green, red } = paint(colour)
  return hosts
    .flatMap(({ host, chains }) =>
      chains.map(
        (chain) =>
          `${host} ${chain.component}: ${chain.fault === null ? green('intact') : red('changed')}${detailOf(chain)}\n`,
      ),
    )
    .join('')
}

function detailOf({ fault, lines, first, last, unchained, torn }: AuditChain): string {
  if (fault !== null) {
    const { file, line, reason } = fault
    return `, first at ${file}${line === 0 ? '' : ` line ${line}`}: ${reason}`
  }
  const notes = [
    first !== null && first > 1 ? [`${counted(first - 1, 'older line')} rotated away`] : [],
    unchained > 0 ? [`${counted(unchained, 'line')} before the chain, which nothing proves`] : [],
    torn > 0 ? [`${counted(torn, 'unfinished line')}`] : [],
    last === null ? [] : [`ends with line ${last.seq}, ${last.digest.slice(0, 16)}`],
  ].flat()
  return `, ${[counted(lines, 'line'), ...notes].join(', ')}`
}

export const auditChainsJson = (cluster: string, hosts: readonly HostChains[]): string =>
  `${JSON.stringify({ cluster, hosts }, null, 2)}\n`
