import { lastLines } from '../base/printable.ts'
import { TransportError } from './transportError.ts'

const longestWords = 8000

/** Why a login that worked gave no shell, in words for a person. `said` is what the host printed instead. */
export function shellRefusal(facts: {
  readonly host: string
  readonly user: string
  readonly sudo: boolean
  /** Whether there was a password for sudo, and whether sudo asked for it twice. */
  readonly given?: boolean
  readonly wrongPassword?: boolean
  readonly said: string
  readonly why: string
  readonly timedOut: boolean
}): TransportError {
  const { host, user, sudo } = facts
  // Enough for all that sudo or a login shell has to say.
  const said = facts.said.slice(-longestWords)
  // sudo repeats the command that it refuses, which is ours and long.
  const told = lastLines(said.replace(/(sh -c) [\s\S]*(' as )/, '$1 …$2'))
  const why = lastLines(facts.why)
  // Of a shell that did not come, a greeting gives no reason.
  const words = told === '' ? why : facts.timedOut ? `${why}: ${told}` : told
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })
  if (!sudo) {
    const message = `${user} could log in to ${host}, but no sh started there: ${words}`
    return facts.timedOut
      ? error(
          'timeout',
          message,
          `See what the login scripts of ${user} wait for on the host. A slow host needs a longer timeout under ssh.`,
        )
      : error(
          'login-refused',
          message,
          `Give ${user} a login shell on the host (not nologin), or log in as another user.`,
        )
  }
  if (facts.wrongPassword === true || /sorry, try again|incorrect password attempt/i.test(said)) {
    return error(
      'sudo-refused',
      `sudo on ${host} refused the password of ${user}: ${words}`,
      'Correct become-password under ssh, or what you typed for --ask-become-pass. It was tried once, since wrong ones may lock the account.',
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
      `Give it as become-password under ssh (!env, !file or !exec) or with --ask-become-pass; or put "${user} ALL=(root) NOPASSWD: ALL" into a file below /etc/sudoers.d on the host (visudo -f).`,
    )
  }
  const message = `sudo on ${host} does not let ${user} become root: ${words}`
  if (facts.timedOut) {
    return error(
      'timeout',
      message,
      `See what sudo waits for on the host, such as a second factor. A slow host needs a longer timeout under ssh.`,
    )
  }
  return error(
    'sudo-refused',
    message,
    facts.given === true
      ? `See that "sudo true" works as ${user} on the host with nothing but the password.`
      : `See that "sudo -n true" works as ${user} on the host.`,
  )
}
