import type { HostConfig } from '../../../src/config/model.ts'
import type { MapService } from '../../../src/contracts/servicesMap.ts'
import type { DatabasePasswords } from '../../../src/deployment/desired/componentSettings.ts'
import type { ResolvedStores } from '../../../src/deployment/desired/generatedStores.ts'
import { makeTarget } from '../../../src/deployment/desired/target.ts'
import { desiredFile } from '../../../src/deployment/desiredFile.ts'
import type { DirectoryFact, FileFact, HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { desiredFiles } from '../../../src/deployment/hostFiles.ts'
import { installationDirectories } from '../../../src/deployment/layout.ts'
import { manifestText } from '../../../src/deployment/manifest.ts'
import type { SentRuntime } from '../../../src/deployment/runtime/chooseRuntime.ts'
import type { DesiredFile, Target } from '../../../src/deployment/target.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

export const runtime: SentRuntime = {
  kind: 'sent',
  id: 'node-24.0.0-0123456789ab',
  architecture: 'x64',
  sha256: 'a'.repeat(64),
  version: 'v24.0.0',
}

/** A PHC string that stands for the password's hash. */
export const hash = `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'B'.repeat(43)}`

const stores: ResolvedStores = {
  files: new Map([['keystore.p12', Buffer.from('keystore')]]),
  key: new Secret('the private key'),
  chain: 'the chain',
  authorities: ['the authority'],
  passwords: { keystore: new Secret('keystore password'), truststore: new Secret('truststore password') },
}

/** What host db1 of cluster alpha must become, all three components as systemd services. */
export function targetOf(
  changes: {
    readonly host?: Partial<HostConfig>
    readonly facts?: HostFacts
    readonly services?: readonly MapService[]
    readonly passwords?: DatabasePasswords
    readonly users?: Target['users']
    readonly runtime?: Target['runtime']
  } = {},
): Target {
  return makeTarget({
    cluster: 'alpha',
    host: hostConfig(changes.host),
    facts: changes.facts ?? hostFacts(),
    program: {
      version: '1.2.3',
      bundle: Buffer.from('the program'),
      templates: {
        'muster-component.service':
          '{{cluster}} {{component}} {{user}} {{group}} {{installDirectory}} {{capabilities}} {{addresses}} {{protectHome}} {{memoryMax}} {{cpuWeight}} {{tasksMax}} {{oomScoreAdjust}} {{stopSeconds}}',
      },
    },
    runtime: changes.runtime ?? runtime,
    stores,
    services: changes.services ?? [{ name: 'alpha', datasources: [] }],
    passwords: changes.passwords ?? {},
    users: changes.users ?? [{ user: 'admin', access: 'full', hash, password: new Secret('the password') }],
  })
}

const factOf = ({ path, sha256, mode, owner }: DesiredFile): readonly [string, FileFact] => [
  path,
  { sha256, mode, owner },
]

/** The facts of a host that is all that the target says, and otherwise what it was before. */
export function finishedFacts(target: Target): HostFacts {
  const { layout, data, service, components, release, facts } = target
  const login = `${facts.login}:${facts.group}`
  const serviceOwner = `${service.user}:${service.group}`
  const { machineId } = facts
  const manifest = manifestText({ version: 1, cluster: target.cluster, host: target.host.name, machineId })
  const manifestFile = desiredFile({
    path: layout.manifest,
    content: Buffer.from(manifest),
    mode: 0o644,
    owner: login,
  })
  const files = [manifestFile, ...desiredFiles(target)]
  const chain = target.tls.find(({ path }) => path.endsWith('chain.pem'))
  const sent = target.runtime.kind === 'sent' ? target.runtime.id : undefined
  const node = target.runtime.kind === 'sent' ? `../../runtimes/${sent}/node` : target.runtime.path
  const users = target.users.flatMap(({ user, access = 'full', hash: known }) =>
    known === undefined ? [] : [{ user, access, hash: known }],
  )
  return {
    ...facts,
    ...(service.systemUser ? { userGroup: service.group } : {}),
    installation: installationFacts({
      exists: true,
      manifest,
      currentRelease: release.id,
      releases: [{ id: release.id, turn: 1, node, nodeThere: true }],
      runtimes: sent === undefined ? [] : [sent],
      directories: new Map(
        [layout.root, ...installationDirectories(layout)]
          .map((path): readonly [string, DirectoryFact] => [path, { mode: 0o755, owner: login }])
          .concat(
            data.folders.map((path) => [
              path,
              { mode: path === data.state ? 0o700 : 0o750, owner: serviceOwner },
            ]),
          ),
      ),
      files: new Map(files.map(factOf)),
      ...(chain === undefined ? {} : { chain: chain.content.toString() }),
      account: { place: data.place, user: service.user },
      users: new Secret(JSON.stringify({ version: 1, users })),
      settings: new Map(components.map((one) => [one.component, one.settings])),
      units: new Map(
        components.flatMap(({ component, unitFile }) =>
          unitFile === undefined ? [] : [[component, unitFile.content.toString()]],
        ),
      ),
      applied: new Map(components.map((one) => [one.component, one.digest])),
    }),
    services: new Map(
      components.map((one) => [
        one.component,
        { state: 'running', enabled: one.unitFile !== undefined, pid: 4711 },
      ]),
    ),
  }
}
