import type { HostUsers } from './hostUsers.ts'

/** Something about the users of a host that is not as the file says. */
export type UserFinding = {
  readonly host: string
  readonly code:
    | 'user-missing'
    | 'user-password-differs'
    | 'user-extra'
    | 'login-refused'
    | 'component-silent'
    | 'not-installed'
    | 'host-unreachable'
    | 'host-failed'
  readonly message: string
  readonly why: string
  readonly fix: string
}

/** Judges the users of all hosts, every finding at once, by host in their order. */
export const judgeUsers = (hosts: readonly HostUsers[]): readonly UserFinding[] => hosts.flatMap(judgeHost)

/** The users whose logins nobody could try, since their passwords are not known here, with the hosts that have them. */
export function untried(hosts: readonly HostUsers[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { host, users } of hosts) {
    for (const { user, named, password } of users) {
      if (named && password === 'unknown') found.set(user, [...(found.get(user) ?? []), host])
    }
  }
  return found
}

function judgeHost(one: HostUsers): readonly UserFinding[] {
  const { host } = one
  const apply = `Run \`muster users apply --host ${host}\`.`
  if (one.state !== 'up') return [notSeen(one)]
  return [...one.users.flatMap((user) => judgeUser(user)), ...one.components.flatMap(judgeComponent)]

  function judgeUser({ user, named, present, password }: HostUsers['users'][number]): readonly UserFinding[] {
    if (!named) {
      return [
        {
          host,
          code: 'user-extra',
          message: `the user ${user} is there, and the file does not name it`,
          why: 'Whoever has its password can do everything that an administrator can.',
          fix: `Name it in rest-api-users, or run \`muster users apply --prune --host ${host}\`.`,
        },
      ]
    }
    if (!present) {
      return [
        {
          host,
          code: 'user-missing',
          message: `the user ${user} is not there`,
          why: 'Whoever logs in as this user elsewhere is refused here.',
          fix: apply,
        },
      ]
    }
    if (password !== 'another') return []
    return [
      {
        host,
        code: 'user-password-differs',
        message: `the user ${user} has another password there than the known one`,
        why: 'It was changed past muster, or a run did not come to its end. It was not tried: five wrong logins lock a user out.',
        fix: `${apply} It gives the host the password of the file, or the one that is kept.`,
      },
    ]
  }

  function judgeComponent({
    component,
    where,
    detail,
    logins,
  }: HostUsers['components'][number]): readonly UserFinding[] {
    if (detail !== undefined) {
      return [
        {
          host,
          code: 'component-silent',
          message: `the ${component} could not be asked: ${detail}`,
          why: 'Nobody can log in to it now.',
          fix: `See \`muster status\` and \`muster logs --host ${host}\`.`,
        },
      ]
    }
    return [...logins]
      .filter(([, said]) => said !== 'in')
      .map(([user, said]) => ({
        host,
        code: 'login-refused',
        message: `the ${component} at ${where} did not let ${user} in: ${said}`,
        why: 'The user file has this password; the API cannot be used all the same.',
        fix: `See \`muster logs --host ${host}\`; a certificate is judged by \`muster cert check --host ${host}\`.`,
      }))
  }
}

function notSeen({ host, state, detail = '' }: HostUsers): UserFinding {
  if (state === 'not-installed') {
    return {
      host,
      code: 'not-installed',
      message: 'nothing is installed there',
      why: 'A host without an installation has no users.',
      fix: `Run \`muster install --host ${host}\`.`,
    }
  }
  return {
    host,
    code: state === 'unreachable' ? 'host-unreachable' : 'host-failed',
    message: detail,
    why: 'Its users could not be looked at; what is said here is of the other hosts.',
    fix: `See \`muster check --host ${host}\`, then verify again.`,
  }
}
