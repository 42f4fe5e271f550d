import type { ApiConfig } from '../../config/model.ts'
import { readServerSettings } from '../../contracts/serverSettings.ts'
import { Secret } from '../../secrets/secret.ts'
import { desiredFile } from '../desiredFile.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { layoutOf } from '../layout.ts'
import type { CheckedHost } from '../preflight/checkContract.ts'
import { serviceData } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import type { DesiredComponent, DesiredFile, StepTarget } from '../target.ts'
import type { BundleDescription } from './bundleDescription.ts'
import type { Sealed } from './seal.ts'

/** Contents of a bundle, read and opened. */
export type OpenedBundle = {
  readonly description: BundleDescription
  /** Content of a file below `root`, by its path on the host. */
  readonly plain: ReadonlyMap<string, Buffer>
  readonly program: Buffer
  readonly secrets: Sealed
}

const contentOf = ({ text, base64 = '' }: Sealed['files'][number]): Buffer | Secret =>
  text === undefined ? Buffer.from(base64, 'base64') : new Secret(text)

/** Returns the desired state of the host that a bundle is for; the facts are the host's own. */
export function bundleTarget(bundle: OpenedBundle, facts: HostFacts): StepTarget {
  const { description, plain, program, secrets } = bundle
  const { cluster, host, service, runtime, release, authorities, leaf } = description
  requireGroup(description, facts)
  const layout = layoutOf(host.installDirectory)
  const fileOf = (path: string): DesiredFile => {
    const file = description.files.find((one) => one.path === path)
    const sealed = secrets.files.find((one) => one.path === path)
    const content = sealed === undefined ? plain.get(path) : contentOf(sealed)
    if (file === undefined || content === undefined) throw new Error(`the bundle lacks ${path}`)
    return desiredFile({ path, content, mode: Number.parseInt(file.mode, 8), owner: file.owner })
  }
  const parts = description.components.map(({ component, settings, unit, digest }): DesiredComponent => {
    const settingsFile = fileOf(settings)
    return {
      component,
      settings: readServerSettings(settingsFile.content.toString()),
      settingsFile,
      ...(unit === undefined ? {} : { unitFile: fileOf(unit) }),
      digest,
    }
  })
  const own = new Set(description.components.flatMap(({ settings, unit }) => [settings, unit]))
  const { proxy } = parts.find(({ component }) => component === 'connector')?.settings ?? {}
  return {
    cluster,
    host: { name: host.name, ...(proxy === undefined ? {} : { proxy }) },
    facts,
    layout,
    data: serviceData(host.serviceManager, { root: layout.root, cluster }),
    service: { manager: host.serviceManager, ...service },
    runtime: { kind: 'sent', architecture: description.architecture, ...runtime },
    release: {
      id: release.id,
      version: release.version,
      program: { bundle: program, sha256: release.sha256 },
    },
    tls: description.files.flatMap(({ path }) => (own.has(path) ? [] : [fileOf(path)])),
    authorities,
    ...(leaf === undefined ? {} : { leaf }),
    users: secrets.users.map(({ user, access, hash, password, previous }) => ({
      user,
      ...(access === undefined ? {} : { access }),
      ...(hash === undefined ? {} : { hash }),
      ...(password === undefined ? {} : { password: new Secret(password) }),
      ...(previous === undefined ? {} : { previous: new Secret(previous) }),
    })),
    components: parts,
  }
}

/** Returns the options of the host that decide if it can be installed. */
export function checkedHost({ host, components }: BundleDescription, target: StepTarget): CheckedHost {
  const apis = components.flatMap(({ component }): readonly ApiConfig[] => {
    const listen = target.components.find((one) => one.component === component)?.settings.listen ?? null
    const { address, port } = listen ?? { address: '127.0.0.1', port: 0 }
    return [{ component, enabled: listen !== null, address, port }]
  })
  const { name, address, installDirectory, serviceManager, user } = host
  return {
    ...{ name, address, installDirectory, serviceManager, apis },
    ...target.host,
    ...(user === undefined ? {} : { user }),
    connection: 'ssh',
    runtime: 'upload',
  }
}

/** Units and files name the group of the service user: one that exists must have the group that was assumed. */
function requireGroup({ host, service }: BundleDescription, { userGroup }: HostFacts): void {
  if (userGroup === undefined || userGroup === service.group) return
  throw new StepError({
    host: host.name,
    code: 'other-group',
    message: `the user ${service.user} of this host has the group ${userGroup}, but the bundle was rendered for ${service.group}`,
    fix: `Give that user the primary group ${service.group}, or set \`user\` to another one and render again.`,
  })
}
