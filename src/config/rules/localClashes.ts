import { listOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { absolutePath } from '../paths.ts'
import { collide, ownListenersOf } from '../resolve/configuredListeners.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const localPortClash = finding(
  'local-port-clash',
  (facts: { host: string; other: string; ports: readonly string[] }) => ({
    message: `${facts.host} and ${facts.other} are both this machine and listen on the same ports: ${listOf(facts.ports)}.`,
    why: 'Only one of them can listen on each.',
    fix: `Give ${facts.host} different ports, for example: options: { manager-rest-api-port: 18090 }`,
  }),
)

function findSharedPorts(
  host: ResolvedHost,
  { earlier, hosts }: { readonly earlier: readonly ResolvedHost[]; readonly hosts: readonly ResolvedHost[] },
): Diagnostic[] {
  const own = ownListenersOf(host, hosts)
  for (const other of earlier) {
    const others = ownListenersOf(other, hosts)
    const clashing = own.filter((listener) => others.some((one) => collide(listener, one)))
    if (clashing.length === 0) continue
    const ports = clashing.map(({ port, owner }) => `${port} (${owner})`)
    const related = [{ message: `${other.name} is here.`, span: other.span }]
    const facts = { host: host.name, other: other.name, ports }
    return [localPortClash(facts, { span: host.span, related })]
  }
  return []
}

const localDirectoryClash = finding(
  'local-directory-clash',
  (facts: { host: string; other: string; directory: string }) => ({
    message: `${facts.host} and ${facts.other} are both this machine and share the install-directory ${facts.directory}.`,
    why: 'The second would overwrite the first.',
    fix: `Give ${facts.host} its own: options: { install-directory: … }`,
  }),
)

/** Finds ports and folders that hosts with `connection: local` share: they are one machine. */
export function localClashes({ hosts, paths }: ResolvedCluster): readonly Diagnostic[] {
  const local = hosts.filter((host) => host.connection === 'local' && host.components.length > 0)
  const folders = new Map<string, ResolvedHost>()
  return local.flatMap((host, index) => {
    const ports = findSharedPorts(host, { earlier: local.slice(0, index), hosts })
    const { value = '', given } = host.option(options.installDirectory)
    const directory = absolutePath(value, { span: given?.span, paths })
    const other = folders.get(directory)
    if (other === undefined) {
      folders.set(directory, host)
      return ports
    }
    const related = [{ message: `${other.name} is here.`, span: other.span }]
    const facts = { host: host.name, other: other.name, directory: value }
    return [...ports, localDirectoryClash(facts, { span: host.span, related })]
  })
}
