import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { ownListenersOf } from '../resolve/configuredListeners.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

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
    return diagnose('privileged-port', { port, user, hosts: group.map(({ host }) => host) }, { span })
  })
}
