import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { includesIfHarmless } from '../transport/sshConfig.ts'

/**
 * Returns the ssh_config(5) file if none is named: undefined for ssh's own default, `none` if nothing there affects connections.
 * ssh uses the home of the password database, whatever HOME says; muster uses HOME.
 */
export function defaultSshConfig(
  home: string,
  world: { readonly sshHome?: string; readonly system?: string; readonly hasTicket?: boolean } = {},
): string | undefined {
  const { sshHome = userInfo().homedir, system = '/etc/ssh/ssh_config', hasTicket = false } = world
  const own = join(home, '.ssh', 'config')
  if (existsSync(own)) return home === sshHome ? undefined : own
  return home === sshHome && affectsConnections(system, { hasTicket }) ? undefined : 'none'
}

/** Returns true if a file, or one that it includes, can change how a host is reached. */
function affectsConnections(path: string, world: { readonly hasTicket?: boolean }, depth = 0): boolean {
  if (!existsSync(path)) return false
  try {
    const includes = includesIfHarmless(readFileSync(path, 'utf8'), world)
    if (includes === undefined || depth > 3) return true
    return includes
      .flatMap((one) => included(join(one.startsWith('/') ? '/' : dirname(path), one)))
      .some((file) => (file === undefined ? true : affectsConnections(file, world, depth + 1)))
  } catch {
    // What cannot be read here ssh may complain of better.
    return true
  }
}

/** Returns the files of an Include: one file, or `*.conf` of a folder; undefined for other patterns. */
function included(pattern: string): readonly (string | undefined)[] {
  if (!/[*?[\]~$%"]/.test(pattern)) return [pattern]
  const folder = dirname(pattern)
  if (basename(pattern) !== '*.conf' || /[*?[\]~$%"]/.test(folder)) return [undefined]
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
    .map((name) => join(folder, name))
}
