import { isAbsolute } from 'node:path'
import { shortListOf } from '../../base/words.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
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

const relativeDirectory = finding('relative-directory', (facts: { hosts: readonly string[] }) => ({
  message: 'install-directory is not an absolute path.',
  why: `A relative path works only with connection: local; ${shortListOf(facts.hosts)} ${facts.hosts.length === 1 ? 'is' : 'are'} reached over SSH.`,
  fix: 'Use an absolute path, such as /opt/muster',
}))

const badDirectory = finding('bad-directory', (facts: { reason: string }) => ({
  message: `install-directory ${facts.reason}.`,
  why: 'muster creates this folder and removes it on uninstall.',
  fix: 'Choose a dedicated folder, such as /opt/muster',
}))

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
    if (kind === 'relative') return relativeDirectory({ hosts: group.map(({ host }) => host) }, { span })
    return badDirectory({ reason: 'is a folder that other programs use too' }, { span })
  })
}
