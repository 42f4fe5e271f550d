import type { HostConfig } from '../config/model.ts'
import { components } from '../contracts/component.ts'
import type { Transport } from '../transport/transport.ts'
import { installedAccount, installedData } from './desiredService.ts'
import { gatherInstalled } from './facts/gather.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import type { Installation } from './installedAccount.ts'
import { layoutOf } from './layout.ts'
import { installedManager } from './services/implementations.ts'
import type { ServiceSet } from './services/serviceManager.ts'
import { drainTimeoutOf } from './services/stopTimeouts.ts'
import { untrustedFolder } from './trustedFolder.ts'

/** Returns the components that are installed on a host, whatever its file says today. */
export const installedSet = (options: Installation & { readonly facts: InstalledFacts }): ServiceSet => ({
  cluster: options.cluster,
  layout: options.layout,
  account: installedAccount(options.facts),
  data: installedData(options.facts, options),
  manager: installedManager(options.facts),
  drainTimeout: drainTimeoutOf(options.facts),
  components: components.filter((component) => options.facts.installation.settings.has(component)),
})

/**
 * Reads which components are installed on a host, for commands that need no other facts. Rejects with a
 * `TransportError`, or with a `StepError` if users other than root could replace the installation.
 */
export async function readInstalledSet(
  transport: Transport,
  { cluster, host }: { readonly cluster: string; readonly host: HostConfig },
): Promise<ServiceSet> {
  const layout = layoutOf(host.installDirectory)
  const facts = await gatherInstalled(transport, { cluster, layout })
  if (facts.untrusted !== undefined) throw untrustedFolder(host, facts.untrusted)
  return installedSet({ cluster, layout, facts })
}
