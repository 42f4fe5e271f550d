import { shortListOf } from '../../base/words.ts'
import type { HostUsers, UserOnHost } from './hostUsers.ts'

/** A user that is not the same on all hosts that were seen. */
export type UserDifference = {
  readonly user: string
  /** Hosts that lack the user: where their file names it, or where no file does and others have it. */
  readonly missing: readonly string[]
  /** Hosts that have it although their file does not name it. */
  readonly extra: readonly string[]
  /** Hosts with another password than the known one. */
  readonly another: readonly string[]
  /** Hosts have different hashes of a password that is not known here or was not read. */
  readonly unclear: boolean
  /** Hosts for which the file still gives a password that was replaced. */
  readonly replaced: readonly string[]
}

/** Where hosts differ from the file or from each other, by user. Hosts that were not seen do not count. */
export function userDifferences(hosts: readonly HostUsers[]): readonly UserDifference[] {
  const seen = hosts.filter(({ state }) => state === 'up')
  const names = [...new Set(seen.flatMap(({ users }) => users.map(({ user }) => user)))]
  return names.flatMap((user) => {
    const on = seen.map(({ host, users }) => ({ host, is: users.find((one) => one.user === user) }))
    const where = (holds: (is: UserOnHost | undefined) => boolean): readonly string[] =>
      on.filter(({ is }) => holds(is)).map(({ host }) => host)
    const unknown = on.flatMap(({ is }) =>
      is?.password === 'unknown' || is?.password === 'unread' ? [is.hash] : [],
    )
    const difference: UserDifference = {
      user,
      missing: where((is) => is?.named === true && !is.present),
      extra: where((is) => is?.named === false),
      another: where((is) => is?.password === 'another'),
      unclear: new Set(unknown).size > 1,
      replaced: where((is) => is?.replaced !== undefined),
    }
    const { missing, extra, another, unclear, replaced } = difference
    const some = [missing, extra, another, replaced].some((of) => of.length > 0)
    return some || unclear ? [difference] : []
  })
}

/** The same in words, one line a user and kind. */
export const differenceWords = (differences: readonly UserDifference[]): readonly string[] =>
  differences.flatMap(({ user, missing, extra, another, unclear, replaced }) => [
    ...(missing.length > 0 ? [`${user}: missing on ${shortListOf(missing, 8)}`] : []),
    ...(extra.length > 0 ? [`${user}: on ${shortListOf(extra, 8)}, where the file does not name it`] : []),
    ...(another.length > 0 ? [`${user}: a different password on ${shortListOf(another, 8)}`] : []),
    ...(replaced.length > 0 ? [`${user}: the file still has the replaced password`] : []),
    ...(unclear ? [`${user}: the password hashes of the hosts differ, so the passwords may differ`] : []),
  ])
