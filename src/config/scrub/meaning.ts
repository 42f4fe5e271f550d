import { allOptions, options } from '../settings/options.ts'
import { allFile, allHost, allService, file, host, service } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import { allSsh, ssh } from '../settings/ssh.ts'

/** What a setting's text tells about its owner; `public` is text that everybody's file may have. */
export type Meaning =
  | 'public'
  | 'host'
  | 'cluster'
  | 'service'
  | 'user'
  | 'path'
  | 'jump'
  | 'fingerprint'
  | 'text'
  | 'secret'

const apis = Object.values(options.api)

const meanings = new Map<Setting<unknown>, Meaning>([
  ...[
    ...apis.map(({ address }) => address),
    options.applicationAddress,
    options.replicationHost,
    options.allowedHosts,
    host.address,
    service.master,
    service.members,
    service.connectors,
    service.witnesses,
  ].map((setting) => [setting, 'host'] as const),
  ...[options.adminUser, options.user, options.replicationUser, options.monitorUser, ssh.user].map(
    (setting) => [setting, 'user'] as const,
  ),
  ...[
    options.keystorePath,
    options.truststorePath,
    options.installDirectory,
    ssh.identity,
    ssh.knownHosts,
    ssh.config,
  ].map((setting) => [setting, 'path'] as const),
  [file.cluster, 'cluster'],
  [ssh.jump, 'jump'],
  [ssh.hostKey, 'fingerprint'],
])

/** What the text of a setting tells. One that is not in the table counts as private text, unless it is a choice. */
export function meaningOf(setting: Setting<unknown>): Meaning {
  if (setting.secret) return 'secret'
  const known = meanings.get(setting)
  if (known !== undefined) return known
  const { type } = setting
  return 'enum' in type.schema || !type.textual || type.example.match(/^\d+(ms|s|m)$/) ? 'public' : 'text'
}

/** Every setting of every place. */
export const allSettings: readonly Setting<unknown>[] = [
  ...allOptions,
  ...allSsh,
  ...allFile,
  ...allService,
  ...allHost,
]
