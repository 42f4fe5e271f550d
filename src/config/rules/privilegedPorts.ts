import { shortListOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { ownListenersOf } from '../resolve/configuredListeners.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const privilegedPort = finding(
  'privileged-port',
  (facts: { port: number; user: string | undefined; hosts: readonly string[] }) => ({
    message: `Port ${facts.port} cannot be opened on ${shortListOf(facts.hosts)}: the services run ${facts.user === undefined ? 'without root' : `as ${facts.user}`}.`,
    why: 'Ports below 1024 are reserved for root; only a systemd service can be allowed to open one.',
    fix: 'Choose port 1024 or above, or remove service-manager: process.',
  }),
)

/**
 * Finds ports below 1024 that the user of the services cannot open. Under systemd the unit has the
 * capability; if `auto` selects a process, a check on the host reports it.
 */
export function privilegedPorts({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const items = hosts.flatMap((host) => {
    const user = host.option(options.user).value
    if (user === 'root' || host.option(options.serviceManager).value !== 'process') return []
    const who = user ?? (host.connection === 'local' ? undefined : 'muster')
    return ownListenersOf(host, hosts)
      .filter(({ port }) => port < 1024)
      .map(({ port, portGiven }) => ({
        host: host.name,
        port,
        user: who,
        span: portGiven?.span ?? host.span,
      }))
  })
  return groupBySpan(items).map((group) => {
    const [{ port, user, span }] = group
    return privilegedPort({ port, user, hosts: group.map(({ host }) => host) }, { span })
  })
}
