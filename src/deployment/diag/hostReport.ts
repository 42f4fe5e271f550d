import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import { components } from '../../contracts/component.ts'
import type { Transport } from '../../transport/transport.ts'
import { installedAccount, installedData } from '../desiredService.ts'
import { gatherFacts } from '../facts/gather.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { Installation } from '../installedAccount.ts'
import { layoutOf } from '../layout.ts'
import { parseManifest } from '../manifest.ts'
import { rotatedRecord } from '../runs/recorder.ts'
import { asService, tailAs } from '../serviceAccount.ts'
import { untrustedFolder } from '../trustedFolder.ts'

/** Report about one host for a bug report. */
export type HostReport = {
  readonly facts: string
  /** Latest entries of the deployment record and of the audit log, unchanged. */
  readonly changes: string
  readonly calls: string
}

/** Limits for the content read from one file of a host. */
const limits = { lines: 200, bytes: 256 * 1024 }

/** Reads the report in two round trips; rejects with a `TransportError` or a `StepError`. Changes nothing. */
export async function hostReport(
  transport: Transport,
  { cluster, host }: { readonly cluster: string; readonly host: HostConfig },
): Promise<HostReport> {
  const layout = layoutOf(host.installDirectory)
  const facts = await gatherFacts(transport, {
    cluster,
    layout,
    ...(host.user === undefined ? {} : { user: host.user }),
    hostStores: [],
  })
  if (facts.untrusted !== undefined) throw untrustedFolder(host, facts.untrusted)
  const { stdout } = await transport.run(tailScript({ cluster, layout, facts }))
  const [changes = '', calls = ''] = stdout
    .raw()
    .split('\n', 2)
    .map((line) => Buffer.from(line, 'base64').toString())
  return { facts: `${JSON.stringify(sharedFacts(facts), withoutPrivate, 2)}\n`, changes, calls }
}

/** Returns sh that prints two lines of base64. Files of the service user are read with the rights of that user. */
function tailScript(installed: Installation & { readonly facts: HostFacts }): string {
  const code = `2>/dev/null | tail -c ${limits.bytes} | base64 | tr -d '\\n'; echo`
  const as = asService(installedAccount(installed.facts))
  const { deployments } = installed.layout
  const { auditFile } = installedData(installed.facts, installed)
  const calls = components.map((component) => tailAs(as, quote(auditFile(component)), limits))
  return `
{ tail -n ${limits.lines} ${quote(rotatedRecord(deployments))}; tail -n ${limits.lines} ${quote(deployments)}; } 2>/dev/null | tail -n ${limits.lines} ${code}
{
${calls.join('\n')}
} ${code}
exit 0
`
}

/**
 * Returns facts that may be shared: without user file, certificates and file digests, from which a short password
 * could be guessed; the machine-id is cut (machine-id(5)).
 */
function sharedFacts({ hostStores: _, installation, ...facts }: HostFacts): unknown {
  const { users, chain, applied, manifest, ...rest } = installation
  const { cluster, host } = parseManifest(manifest ?? '') ?? {}
  const has = { users: users !== undefined, chain: chain !== undefined, started: [...applied.keys()] }
  return { ...facts, installation: { ...rest, ofCluster: cluster, ofHost: host, has } }
}

/** Replacer for `JSON.stringify`: maps become objects, and private members are dropped. */
function withoutPrivate(key: string, value: unknown): unknown {
  if (key === 'sha256') return undefined
  if (key === 'machineId' && typeof value === 'string') return value === '' ? 'none' : `${value.slice(0, 8)}…`
  return value instanceof Map ? Object.fromEntries(value) : value
}
