import { isObject, memberOf } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import type { HostConfig } from '../config/model.ts'
import { components } from '../contracts/component.ts'
import type { TriedChannel } from '../contracts/hostRoutes.ts'
import type { Transport } from '../transport/transport.ts'
import { installedAccount } from './desiredService.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import { layoutOf } from './layout.ts'
import { runTries } from './triesOnHost.ts'

/** Milliseconds for all calls of a host. */
const timeout = 30_000

/**
 * Runs what is installed on a host to call the managers of other hosts as its components do. Undefined where it calls none, or
 * nothing could be tried. Never rejects for a failure of the host.
 */
export async function tryInstalledChannels(
  transport: Transport,
  { host, facts }: { readonly host: HostConfig; readonly facts: HostFacts },
): Promise<readonly TriedChannel[] | undefined> {
  const { settings } = facts.installation
  const component = components.find((it) => memberOf(settings.get(it), 'managers') !== undefined)
  if (component === undefined) return undefined
  const layout = layoutOf(host.installDirectory)
  return runTries(transport, {
    ...{ command: 'try-channels', layout, timeout, read: readChannel },
    files: [layout.settings(component)],
    account: installedAccount(facts),
  })
}

function readChannel(value: unknown): readonly TriedChannel[] {
  if (!isObject(value)) return []
  const { host, port, error } = value
  if (typeof host !== 'string' || typeof port !== 'number' || !Number.isInteger(port)) return []
  const tried = { host: boundedMessage(host), port }
  if (error === undefined) return [tried]
  return typeof error === 'string' ? [{ ...tried, error: boundedMessage(error) }] : []
}
