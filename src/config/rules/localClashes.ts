import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { absolutePath } from '../paths.ts'
import { collide, ownListenersOf } from '../resolve/configuredListeners.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

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
    return [diagnose('local-port-clash', facts, { span: host.span, related })]
  }
  return []
}

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
    return [...ports, diagnose('local-directory-clash', facts, { span: host.span, related })]
  })
}
