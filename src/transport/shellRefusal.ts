import { TransportError } from './transportError.ts'

/** Why a login that worked gave no shell, in words for a person. `said` is what the host printed instead. */
export function shellRefusal(facts: {
  readonly host: string
  readonly user: string
  readonly sudo: boolean
  readonly said: string
  readonly why: string
  readonly timedOut: boolean
}): TransportError {
  const { host, user, sudo, said } = facts
  const words = said === '' ? facts.why : said.split('\n').slice(-4).join(' / ')
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })
  if (!sudo) {
    return error(
      facts.timedOut ? 'timeout' : 'login-refused',
      `${user} could log in to ${host}, but no sh started there: ${words}`,
      `Give ${user} a login shell on the host (not nologin), or log in as another user.`,
    )
  }
  if (/sorry, you must have a tty/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} wants a terminal (requiretty), which a program has not: ${words}`,
      `Put "Defaults:${user} !requiretty" into a file below /etc/sudoers.d on the host (visudo -f).`,
    )
  }
  if (/not found|No such file/i.test(said)) {
    return error(
      'sudo-refused',
      `there is no sudo for ${user} on ${host}: ${words}`,
      'Install sudo on the host, or log in as root and leave become out.',
    )
  }
  if (/password is required|authentication is required/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} wants a password of ${user}: ${words}`,
      `Put "${user} ALL=(root) NOPASSWD: ALL" into a file below /etc/sudoers.d on the host (visudo -f).`,
    )
  }
  return error(
    facts.timedOut ? 'timeout' : 'sudo-refused',
    `sudo on ${host} does not let ${user} become root: ${words}`,
    `See that "sudo -n true" works as ${user} on the host.`,
  )
}
