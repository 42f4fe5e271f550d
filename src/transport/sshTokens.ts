import { join } from 'node:path'
import type { SshEnvironment } from './sshTarget.ts'

type Facts = {
  /** What ssh was asked about. */
  readonly host: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  /** HostKeyAlias. */
  readonly alias: string | undefined
  readonly env: SshEnvironment
}

/**
 * A value with `~`, `%` tokens and `${VARIABLE}` replaced (ssh_config(5), TOKENS and ENVIRONMENT VARIABLES),
 * which `ssh -G` leaves as they are; or the first of them that has no meaning here.
 */
export function expandTokens(text: string, facts: Facts): string | { readonly token: string } {
  const { host, hostname, port, user, alias, env } = facts
  const tokens: Readonly<Record<string, string>> = {
    '%%': '%',
    '%d': env.home,
    '%h': hostname,
    '%k': alias ?? host,
    '%n': host,
    '%p': String(port),
    '%r': user,
    '%u': env.user,
  }
  let unknown: string | undefined
  const home = text === '~' || text.startsWith('~/') ? join(env.home, text.slice(1)) : text
  const made = home.replaceAll(/%.|\$\{([^}]*)\}/g, (token, variable: string | undefined) => {
    const value = variable === undefined ? tokens[token] : env.variables?.[variable]
    if (value === undefined) unknown ??= token
    return value ?? token
  })
  return unknown === undefined ? made : { token: unknown }
}
