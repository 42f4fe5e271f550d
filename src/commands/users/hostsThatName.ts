import { UsageError } from '../../cli/usageError.ts'
import type { HostConfig } from '../../config/model.ts'
import { listOf, shortListOf } from '../../diagnostics/words.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'

const names = ({ users }: HostConfig): readonly string[] => users.map(({ user }) => user)

/** The cluster with those of its hosts alone that have a user by the file, and with that user alone. Throws a `UsageError` where none has. */
export function hostsThatName(config: SelectedCluster, user: string): SelectedCluster {
  const has = (host: HostConfig): boolean => names(host).includes(user)
  const hosts = config.hosts.filter(has)
  const left = config.left.filter(has)
  const alone = (host: HostConfig): HostConfig => ({
    ...host,
    users: host.users.filter((one) => one.user === user),
  })
  if (hosts.length > 0) return { ...config, hosts: hosts.map(alone), left }
  const known = [...new Set([...config.hosts, ...config.left].flatMap(names))]
  throw left.length > 0
    ? new UsageError(
        `The file names the user ${user} only for ${shortListOf(namesOf(left))}, which --host does not select.`,
        'Select one of them with --host.',
      )
    : new UsageError(
        `The file names no user ${user}.`,
        known.length === 0 ? 'It names no users.' : `It names ${listOf(known)}.`,
      )
}
