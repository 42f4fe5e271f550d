import type { HostConfig } from '../../config/model.ts'
import { components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { Transport } from '../../transport/transport.ts'
import { gatherFacts } from '../facts/gather.ts'
import type { HostFacts } from '../facts/model.ts'
import { type Layout, layoutOf } from '../layout.ts'
import { parseManifest } from '../manifest.ts'
import { systemUserOf } from '../service.ts'

/** What a bug report says of a host. */
export type HostReport = {
  readonly facts: string
  /** The last changes of deployments, and the last calls that changed something, as they were written. */
  readonly changes: string
  readonly calls: string
}

/** Lines and bytes of one file of a host that travel at most. */
const most = { lines: 200, bytes: 256 * 1024 }

/** Reads it in two round trips; rejects with a `TransportError` or a `StepError`. Changes nothing. */
export async function hostReport(
  transport: Transport,
  { cluster, host }: { readonly cluster: string; readonly host: HostConfig },
): Promise<HostReport> {
  const layout = layoutOf(host.installDirectory)
  const facts = await gatherFacts(transport, {
    cluster,
    layout,
    user: systemUserOf(host),
    hostStores: [],
  })
  const { stdout } = await transport.run(endsScript(layout))
  const [changes = '', calls = ''] = stdout.split('\n').map((line) => Buffer.from(line, 'base64').toString())
  return { facts: `${JSON.stringify(sharedFacts(facts), withoutPrivate, 2)}\n`, changes, calls }
}

/** Two lines of base64. Logs that a service user may have made a link of are not followed. */
function endsScript(layout: Layout): string {
  const code = `tail -c ${most.bytes} | base64 | tr -d '\\n'`
  const logs = components.map((component) => quote(`${layout.log}/${component}.audit.jsonl`)).join(' ')
  return `
end() { for file; do [ -f "$file" ] && [ ! -L "$file" ] && tail -n ${most.lines} "$file"; done 2>/dev/null | ${code}; echo; }
end ${quote(layout.deployments)}
end ${logs}
exit 0
`
}

/**
 * Facts that may be shared: no user file, no certificates, no digest of a file, by which a short password in it
 * could be guessed, and only the beginning of the machine-id (machine-id(5)).
 */
function sharedFacts({ hostStores: _, installation, ...facts }: HostFacts): unknown {
  const { users, chain, applied, manifest, ...rest } = installation
  const { cluster, host } = parseManifest(manifest ?? '') ?? {}
  const has = { users: users !== undefined, chain: chain !== undefined, started: [...applied.keys()] }
  return { ...facts, installation: { ...rest, ofCluster: cluster, ofHost: host, has } }
}

/** For `JSON.stringify`: maps as objects, and nothing of what must stay on the host. */
function withoutPrivate(key: string, value: unknown): unknown {
  if (key === 'sha256') return undefined
  if (key === 'machineId' && typeof value === 'string') return value === '' ? 'none' : `${value.slice(0, 8)}…`
  return value instanceof Map ? Object.fromEntries(value) : value
}
