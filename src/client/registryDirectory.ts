import { isAbsolute, join } from 'node:path'

/**
 * The folder of the cluster records: `muster/clusters` in the user's configuration directory. A relative
 * XDG_CONFIG_HOME is passed over, as the XDG Base Directory Specification says. `home` is used where the
 * environment has no HOME.
 */
export function registryDirectory(env: Readonly<Record<string, string | undefined>>, home = '/'): string {
  const configured = env.XDG_CONFIG_HOME
  if (configured !== undefined && isAbsolute(configured)) return join(configured, 'muster', 'clusters')
  return join(env.HOME || home, '.config', 'muster', 'clusters')
}
