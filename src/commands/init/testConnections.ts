import type { CommandContext } from '../../cli/context.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { lineLayout } from '../../cli/terminal.ts'
import type { ClusterConfig } from '../../config/model.ts'
import { onEachHost } from '../../deployment/eachHost.ts'
import { hostLines } from '../../output/deployment/hostLines.ts'
import { connectHost } from '../../session/connectHost.ts'
import { reportUnreachable } from '../../session/outcomes.ts'
import { trustHosts } from '../trust.ts'

/**
 * Shows the host keys and asks about unknown ones, as `muster trust` does; then logs in to every host and reports which
 * can be reached. Throws `Interrupted` after Ctrl-C.
 */
export async function testConnections(context: CommandContext, config: ClusterConfig): Promise<void> {
  await trustHosts({ context, config, yes: false, pin: false, json: false })
  const results = await onEachHost({
    hosts: config.hosts,
    forks: context.forks,
    connect: (host) => connectHost(context, host),
    work: (transport) => transport.run('id -u'),
  })
  if (context.signal.aborted) throw new Interrupted()
  const notes = results.flatMap((one) => {
    if ('failure' in one) return []
    const isRoot = one.result.stdout.raw().trim() === '0'
    const text = isRoot ? 'reached, with the rights of root' : 'reached, without the rights of root'
    return [{ hosts: [one.host.name], text }]
  })
  context.stdout.write(hostLines(notes, { all: config.hosts.length, ...lineLayout(context, context.stdout) }))
  reportUnreachable(
    context,
    results.filter((one) => 'failure' in one),
  )
}
