import { isObject, memberOf, parseJson } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import { components } from '../contracts/component.ts'
import type { TriedChannel } from '../contracts/hostRoutes.ts'
import type { Transport } from '../transport/transport.ts'
import { installedAccount } from './desiredService.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import { failureOf } from './hostFailure.ts'
import { layoutOf } from './layout.ts'
import { musterApiCommand } from './musterApiCommand.ts'

/** Milliseconds for all calls of a host. */
const limit = 30_000

/** Maximum number of answers read from one host. */
const most = 1000

/**
 * Runs what is installed on a host to call the managers of other hosts as its components do. Undefined where it calls none, or
 * nothing could be tried. Never rejects for a failure of the host.
 */
export async function tryInstalledChannels(
  transport: Transport,
  { host, facts }: { readonly host: HostConfig; readonly facts: HostFacts },
): Promise<readonly TriedChannel[] | undefined> {
  const layout = layoutOf(host.installDirectory)
  const { settings } = facts.installation
  const component = components.find((it) => memberOf(settings.get(it), 'managers') !== undefined)
  if (component === undefined) return undefined
  const words = `try-channels --settings ${quote(layout.settings(component))}`
  try {
    const script = musterApiCommand(layout.current, words, installedAccount(facts))
    const { code, stdout } = await transport.run(script, { timeout: limit })
    return code === 0 ? parseChannels(stdout.raw()) : undefined
  } catch (error) {
    failureOf(error)
    return undefined
  }
}

/** Parses the output of `muster-api try-channels`; undefined if it is something else. */
function parseChannels(text: string): readonly TriedChannel[] | undefined {
  const values = parseJson(text)
  if (!Array.isArray(values)) return undefined
  const tried = values.slice(0, most).flatMap(readChannel)
  return tried.length === values.length ? tried : undefined
}

function readChannel(value: unknown): readonly TriedChannel[] {
  if (!isObject(value)) return []
  const { host, port, error } = value
  if (typeof host !== 'string' || typeof port !== 'number' || !Number.isInteger(port)) return []
  const tried = { host: boundedMessage(host), port }
  if (error === undefined) return [tried]
  return typeof error === 'string' ? [{ ...tried, error: boundedMessage(error) }] : []
}
