import { shortListOf } from '../../base/words.ts'
import { type OutlineLine, remark } from '../../config/outline.ts'
import { options } from '../../config/settings/options.ts'
import type { AccessLevel } from '../../contracts/accessLevels.ts'
import { installedUsers } from '../installedUsers.ts'
import type { DiscoveredHost } from './discoveredHosts.ts'

type ApiUser = { readonly user: string; readonly access: AccessLevel }

/** Returns the users that all installations have alike: none of them gives a user of the others more than they do. */
function commonUsers(hosts: readonly DiscoveredHost[]): {
  readonly users: readonly ApiUser[]
  /** Names of those that are not the same everywhere. */
  readonly different: readonly string[]
} {
  const files = hosts.flatMap(({ installation }) => installation?.installed.installation.users ?? [])
  const lists = files.map((file) =>
    installedUsers(file)
      .filter(({ user }) => /^[\w.@-]{1,128}$/.test(user))
      .slice(0, 200),
  )
  const levels = lists.map((list) => new Map(list.map(({ user, access }) => [user, access])))
  const [first] = levels
  const names = [...new Set(lists.flatMap((list) => list.map(({ user }) => user)))]
  const users = names.flatMap((user) => {
    const access = first?.get(user)
    return access !== undefined && levels.every((one) => one.get(user) === access) ? [{ user, access }] : []
  })
  const common = new Set(users.map(({ user }) => user))
  return { users, different: names.filter((name) => !common.has(name)) }
}

/** Lines about the users of the APIs; the names come from the installation. */
export function userLines(hosts: readonly DiscoveredHost[]): readonly OutlineLine[] {
  const { users, different } = commonUsers(hosts)
  const conflict =
    different.length === 0
      ? []
      : [
          remark(
            `Conflict: not every installation has these users, or with the same access: ${shortListOf(different, 8)}. Name those that you know under rest-api-users.`,
          ),
        ]
  const admin =
    users.find(({ user, access }) => user === 'admin' && access === 'full') ??
    users.find(({ access }) => access === 'full')
  if (admin === undefined) {
    return [
      ...conflict,
      {
        comments: [
          'The administrator of every API. Without a password, muster generates one, keeps it in .muster/ beside this file and shows it once.',
        ],
        name: options.adminUser.name,
        value: 'admin',
      },
    ]
  }
  const others = users.filter((one) => one !== admin)
  return [
    ...conflict,
    {
      comments: [
        'Hosts have only hashes. Without its password here, the one on the hosts stays as it is, and no login can be verified: rest-api-admin-pass: !env ADMIN_PASS',
      ],
      name: options.adminUser.name,
      value: admin.user,
    },
    ...(others.length === 0
      ? []
      : [
          {
            name: options.users.name,
            value: Object.fromEntries(others.map(({ user, access }) => [user, { access }])),
          },
        ]),
  ]
}
