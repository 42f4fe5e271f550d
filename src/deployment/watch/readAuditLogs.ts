import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Transport } from '../../transport/transport.ts'
import { asService, tailAs } from '../serviceAccount.ts'
import type { ServiceSet } from '../services/serviceManager.ts'

/** Limits of what is read from the audit log of one component. */
const limits = { lines: 100, bytes: 64 * 1024 }

/**
 * Reads the last lines of the audit logs of a host's components, with the rights of the service user. Rejects with a
 * `TransportError`.
 */
export async function readAuditLogs(
  transport: Transport,
  { host, set }: { readonly host: HostConfig; readonly set: Pick<ServiceSet, 'account' | 'data'> },
): Promise<readonly string[]> {
  const as = asService(set.account)
  const tails = host.apis.map(({ component }) => tailAs(as, quote(set.data.auditFile(component)), limits))
  const script = `{\n${tails.join('\n')}\n} 2>/dev/null | tail -c ${limits.bytes * tails.length} | base64 | tr -d '\\n'\nexit 0\n`
  const { stdout } = await transport.run(script)
  return Buffer.from(stdout.raw(), 'base64').toString().split('\n')
}
