import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { includesOfPlain } from '../transport/sshConfig.ts'

/**
 * The file of ssh_config(5) for who names none: undefined for what ssh itself reads, `none` where nothing there
 * matters. ssh takes the home of the password database for its own, whatever HOME says; all of ours goes by HOME.
 */
export function usualSshConfig(
  home: string,
  world: { readonly sshHome: string; readonly system: string } = {
    sshHome: userInfo().homedir,
    system: '/etc/ssh/ssh_config',
  },
): string | undefined {
  const own = join(home, '.ssh', 'config')
  if (existsSync(own)) return home === world.sshHome ? undefined : own
  return home === world.sshHome && matters(world.system) ? undefined : 'none'
}

/** Whether a file, or one that it includes, may say how to reach a host. */
function matters(path: string, depth = 0): boolean {
  if (!existsSync(path)) return false
  try {
    const includes = includesOfPlain(readFileSync(path, 'utf8'))
    if (includes === undefined || depth > 3) return true
    return includes
      .flatMap((one) => included(join(one.startsWith('/') ? '/' : dirname(path), one)))
      .some((file) => (file === undefined ? true : matters(file, depth + 1)))
  } catch {
    // What cannot be read here ssh may complain of better.
    return true
  }
}

/** The files that an Include means: one file, or `*.conf` of a folder; undefined for other patterns. */
function included(pattern: string): readonly (string | undefined)[] {
  if (!/[*?[\]~$%"]/.test(pattern)) return [pattern]
  const folder = dirname(pattern)
  if (basename(pattern) !== '*.conf' || /[*?[\]~$%"]/.test(folder)) return [undefined]
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
    .map((name) => join(folder, name))
}
