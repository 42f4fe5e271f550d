import { isAbsolute } from 'node:path'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { absolutePath } from '../paths.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

/** Folders that cannot be the installation's own. */
const shared = [
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/tmp',
  '/usr',
  '/usr/local',
  '/var',
  '/var/lib',
]

type Wrong = { readonly span: Span; readonly host: string; readonly kind: 'relative' | 'shared' }

/** Requires an absolute folder of its own; relative only on this machine. */
export function installDirectory({ hosts, paths }: ResolvedCluster): readonly Diagnostic[] {
  const items = hosts.flatMap((host): Wrong[] => {
    const { value, given } = host.option(options.installDirectory)
    if (value === undefined || given === undefined) return []
    const { span } = given
    const remote = host.connection === 'ssh'
    if (remote && !isAbsolute(value)) return [{ span, host: host.name, kind: 'relative' }]
    const path = absolutePath(value, { span, paths })
    return shared.includes(path) || path === paths.home ? [{ span, host: host.name, kind: 'shared' }] : []
  })
  return groupBySpan(items).map((group) => {
    const [{ span, kind }] = group
    if (kind === 'relative')
      return diagnose('relative-directory', { hosts: group.map(({ host }) => host) }, { span })
    return diagnose('bad-directory', { reason: 'is a folder that other programs use too' }, { span })
  })
}
