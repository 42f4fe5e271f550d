import { sha256 } from '../../base/sha256.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import { type ApiConfig, type HostConfig, needsAuthorities } from '../../config/model.ts'
import { isLocalAddress } from '../../config/resolve/dataSources.ts'
import type { MapService } from '../../contracts/servicesMap.ts'
import type { Secret } from '../../secrets/secret.ts'
import { computedFile, desiredFile, loginOwner } from '../desiredFile.ts'
import { type DesiredService, decideService } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { type Layout, layoutOf, type ServiceData } from '../layout.ts'
import { nameParts } from '../releases/chooseRelease.ts'
import type { RuntimeChoice } from '../runtime/chooseRuntime.ts'
import type { ServerProgram } from '../serverProgram.ts'
import { serviceData, serviceManagers } from '../services/implementations.ts'
import type { DesiredComponent, DesiredFile, DesiredUser, Release, Target } from '../target.ts'
import {
  type DatabasePasswords,
  firstUnprivilegedPort,
  listenersOf,
  secretsFile,
  settingsOf,
} from './componentSettings.ts'
import type { ResolvedStores } from './generatedStores.ts'
import { settingsText } from './settingsText.ts'

type TargetOptions = {
  readonly cluster: string
  readonly host: HostConfig
  /** Services map that is installed on every host. */
  readonly services: readonly MapService[]
  readonly facts: HostFacts
  readonly program: ServerProgram
  readonly runtime: RuntimeChoice
  readonly stores: ResolvedStores
  readonly users: readonly DesiredUser[]
  readonly passwords: DatabasePasswords
}

/** Returns the desired state of one host. */
export function makeTarget(options: TargetOptions): Target {
  const { cluster, host, facts, program, runtime, stores, users, passwords } = options
  const layout = layoutOf(host.installDirectory)
  const service = decideService(host, facts, cluster)
  const data = serviceData(service.manager, { root: layout.root, cluster })
  const release = releaseOf(program, runtime)
  const tls = tlsFiles({ host, layout, service, stores, passwords })
  const leaf = certificatesOf(stores.chain)?.[0]?.fingerprint256
  return {
    cluster,
    host,
    facts,
    layout,
    data,
    service,
    runtime,
    release,
    tls,
    authorities: stores.authorities,
    ...(leaf === undefined ? {} : { leaf }),
    users,
    components: host.apis.map((api) => componentOf({ ...options, api, layout, data, service, release })),
  }
}

/** Digests of programs: one program is sent to all hosts. */
const digests = new WeakMap<Buffer, string>()

function digestOf(bundle: Buffer): string {
  const digest = digests.get(bundle) ?? sha256(bundle)
  digests.set(bundle, digest)
  return digest
}

/** Returns the release: the program and its runtime; if either differs, it is another release. */
function releaseOf(program: ServerProgram, runtime: RuntimeChoice): Release {
  if (runtime.kind === 'kept') return { id: runtime.release, version: nameParts(runtime.release).version }
  const digest = digestOf(program.bundle)
  const node = runtime.kind === 'sent' ? runtime.id : `${runtime.path} ${runtime.version}`
  return {
    id: `${program.version}-${sha256(`${digest}\n${node}\n`).slice(0, 12)}`,
    version: program.version,
    program: { bundle: program.bundle, sha256: digest },
  }
}

/**
 * Returns all TLS files of a host, and the file with the passwords. Only the service can read them; if its user is
 * not the login, it cannot change them either: they belong to root and its group.
 */
export function tlsFiles(options: {
  readonly host: Pick<HostConfig, 'channel' | 'managers' | 'otherManagers'>
  readonly layout: Layout
  readonly service: Pick<DesiredService, 'user' | 'group' | 'isOther'>
  readonly stores: ResolvedStores
  readonly passwords: DatabasePasswords
}): DesiredFile[] {
  const { host, layout, service, stores, passwords } = options
  const rights = service.isOther
    ? { mode: 0o640, owner: `root:${service.group}` }
    : { mode: 0o600, owner: `${service.user}:${service.group}` }
  const file = (path: string, content: Buffer | Secret): DesiredFile =>
    desiredFile({ path, content, ...rights })
  return [
    ...[...stores.files].map(([name, content]) => file(`${layout.tls}/${name}`, content)),
    file(`${layout.tls}/key.pem`, stores.key),
    file(`${layout.tls}/chain.pem`, Buffer.from(stores.chain)),
    ...(needsAuthorities(host) ? [file(layout.authorities, pemText(stores.authorities))] : []),
    file(layout.secretsFile, secretsFile(stores.passwords, passwords)),
  ]
}

/** Each certificate ends its line, whatever file it came from. */
const pemText = (certificates: readonly string[]): Buffer =>
  Buffer.from(certificates.map((pem) => `${pem.trimEnd()}\n`).join(''))

type ComponentOptions = TargetOptions & {
  readonly api: ApiConfig
  readonly layout: Layout
  readonly data: ServiceData
  readonly service: DesiredService
  readonly release: Release
}

function componentOf(options: ComponentOptions): DesiredComponent {
  const { api, layout, release, facts } = options
  const settings = settingsOf(options)
  const settingsFile = computedFile(
    { path: layout.settings(api.component), mode: 0o644, owner: loginOwner(facts) },
    () => settingsText(settings),
  )
  const unitFile = unitOf(options)
  // Without key and certificate: a running component reloads these files.
  const digest = sha256([release.id, settingsFile.sha256, unitFile?.sha256 ?? ''].join('\n'))
  return { component: api.component, settings, settingsFile, digest, ...(unitFile ? { unitFile } : {}) }
}

/** Returns true for a component that other hosts call, or that reaches databases of other hosts. */
function talksToOthers({ host, api, services }: ComponentOptions): boolean {
  const listens = listenersOf(host, api).some(({ address }) => !isLocalAddress(address))
  if (listens) return true
  if (api.component === 'replicator')
    return host.database !== undefined && !isLocalAddress(host.database.host)
  return services.some(({ datasources }) => datasources.length > 0)
}

/** Returns the service definition of a component; undefined if its service manager needs none. */
function unitOf(options: ComponentOptions): DesiredFile | undefined {
  const { cluster, program, host, api, layout, service, facts } = options
  const { definitions } = serviceManagers[service.manager]
  if (definitions === undefined) return undefined
  const { path, mode, template, values } = definitions
  const { component } = api
  return computedFile({ path: path({ cluster, component }), mode, owner: loginOwner(facts) }, () =>
    fillTemplate(
      program.templates[template],
      values({
        cluster,
        component,
        root: layout.root,
        user: service.user,
        group: service.group,
        limits: host.limits,
        drainTimeout: component === 'connector' ? (host.proxy?.drainTimeout ?? 0) : 0,
        privileged: listenersOf(host, api).some(({ port }) => port < firstUnprivilegedPort),
        talksToOthers: talksToOthers(options),
      }),
    ),
  )
}

/** Replaces each `{{name}}` in a template; throws for a name without a value and for an unused value. */
function fillTemplate(template: string | undefined, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>()
  const text = (template ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the template needs a value for {{${name}}}`)
    used.add(name)
    return value
  })
  const unused = Object.keys(values).filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`the template does not use ${unused.join(', ')}`)
  return text
}
