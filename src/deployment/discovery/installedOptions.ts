import { isDeepStrictEqual } from 'node:util'
import { isLoopback } from '../../base/address.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import type { YamlNode } from '../../config/document/node.ts'
import { options } from '../../config/settings/options.ts'
import type { Setting, SettingGroup } from '../../config/settings/setting.ts'
import type { Plain } from '../../config/types/type.ts'
import { type Component, components } from '../../contracts/component.ts'
import { readServerSettings, type ServerSettings } from '../../contracts/serverSettings.ts'
import { clusterUser } from '../layout.ts'
import type { HostInstallation } from './discoverHost.ts'

/** Options with which an installation was made, by name; those with their default are left out. */
type InstalledOptions = ReadonlyMap<string, Plain>

/** Components of an installation with their settings. */
export type InstalledComponents = ReadonlyMap<Component, ServerSettings>

/** Reads the settings of the components of a host; the names of those that are damaged are in `damaged`. */
export function installedComponents({ installed }: HostInstallation): {
  readonly settings: InstalledComponents
  readonly damaged: readonly Component[]
} {
  const settings = new Map<Component, ServerSettings>()
  const damaged: Component[] = []
  for (const component of components) {
    const found = installed.installation.settings
    if (!found.has(component)) continue
    try {
      settings.set(component, readServerSettings(JSON.stringify(found.get(component) ?? null)))
    } catch {
      damaged.push(component)
    }
  }
  return { settings, damaged }
}

const nowhere = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const nodeOf = (value: Plain): YamlNode =>
  Array.isArray(value)
    ? { kind: 'list', flow: true, items: value.map((one: Plain) => nodeOf(one)), span: nowhere }
    : {
        kind: 'scalar',
        value: value as string | number | boolean | null,
        source: String(value),
        span: nowhere,
      }

/** Returns the option, unless it has its default or the host made up a value that no file can have. */
function entry(setting: Setting<unknown>, value: unknown): readonly (readonly [string, Plain])[] {
  if (value === undefined || value === null || isDeepStrictEqual(value, setting.default)) return []
  const written = setting.type.write(value)
  const isValid = setting.type.read(nodeOf(written), setting.name).value !== undefined
  return isValid ? [[setting.name, written]] : []
}

/** Returns the options of a group whose members are named as in the settings. */
const entriesOf = (
  group: SettingGroup,
  settings: object | undefined,
): readonly (readonly [string, Plain])[] =>
  settings === undefined
    ? []
    : Object.entries(group).flatMap(([key, setting]) =>
        setting.secret ? [] : entry(setting, Reflect.get(settings, key)),
      )

/** Limits in a unit (systemd.resource-control(5)), by the keys of the template. */
const unitLimits = {
  memoryMax: /^MemoryMax=(\d{1,9})M$/m,
  cpuWeight: /^CPUWeight=(\d{1,9})$/m,
  tasksMax: /^TasksMax=(\d{1,9})$/m,
  oomScoreAdjust: /^OOMScoreAdjust=(\d{1,9})$/m,
} as const

function limitsOf(unit: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(unitLimits).flatMap(([key, pattern]) => {
      const [, number] = pattern.exec(unit) ?? []
      return number === undefined ? [] : [[key, Number(number)]]
    }),
  )
}

/** Returns the hosts that its APIs accept beside those of its certificate, which are its own; undefined without. */
function addedHosts(
  { installed }: HostInstallation,
  settings: ServerSettings | undefined,
): readonly { readonly value: string }[] | undefined {
  const leaf = leafFacts(installed.installation.chain ?? '', new Date(0))
  if (settings === undefined || leaf === undefined) return undefined
  const own = new Set(['localhost', '127.0.0.1', '::1', ...leaf.names].map((name) => name.toLowerCase()))
  const added = settings.allowedHosts.filter((name) => !own.has(name.toLowerCase())).slice(0, 100)
  return added.length === 0 ? undefined : added.map((value) => ({ value }))
}

/** Derives from what is installed on a host which options it was installed with. */
export function installedOptions(installation: HostInstallation, systemd: boolean): InstalledOptions {
  const { folder, manifest, installed } = installation
  const { settings } = installedComponents(installation)
  const { account, units } = installed.installation
  const manager = settings.get('manager')
  const [any] = settings.values()
  const apis = [...settings].flatMap(([component, { listen }]) => {
    const { enabled, port, address } = options.api[component]
    if (listen === null) return entry(enabled, false)
    return [...entry(port, listen.port), ...entry(address, listen.address)]
  })
  const hidesDashboard =
    manager?.listen && !isLoopback(manager.listen.address) && manager.dashboard === undefined
  const [unit = ''] = units.values()
  return new Map([
    ...apis,
    ...entry(options.clusterPort, manager?.channel?.port),
    ...(hidesDashboard ? entry(options.dashboard, false) : []),
    ...entry(options.installDirectory, folder),
    ...(account && account.user !== clusterUser(manifest.cluster) ? entry(options.user, account.user) : []),
    ...(account?.place === 'process' && systemd ? entry(options.serviceManager, 'process') : []),
    ...entry(options.logLevel, any?.logLevel),
    ...entry(options.remoteBootstrap, any?.remoteBootstrap),
    ...entry(options.allowedHosts, addedHosts(installation, any)),
    ...entriesOf(options.limits, limitsOf(unit)),
    ...entriesOf(options.database, settings.get('replicator')?.database),
    ...entriesOf(options.monitor, manager?.monitor),
    ...entriesOf(options.switching, manager?.switching),
    ...entriesOf(options.proxy, settings.get('connector')?.proxy),
  ])
}
