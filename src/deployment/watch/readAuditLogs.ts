import { quote } from '../../base/shellWords.ts'
import { installedAccount, installedData } from '../desiredService.ts'
import { layoutOf } from '../layout.ts'
import { asService, tailAs } from '../serviceAccount.ts'
import type { SurveyedHost } from '../survey.ts'

/** Limits of what is read from the audit log of one component. */
const limits = { lines: 100, bytes: 64 * 1024 }

/**
 * Reads the last lines of the audit logs of a host's components, with the rights of the service user. Rejects with a
 * `TransportError`.
 */
export async function readAuditLogs(
  { host, transport, facts }: SurveyedHost,
  cluster: string,
): Promise<readonly string[]> {
  const layout = layoutOf(host.installDirectory)
  const { auditFile } = installedData(facts, { layout, cluster })
  const as = asService(installedAccount(facts))
  const tails = host.apis.map(({ component }) => tailAs(as, quote(auditFile(component)), limits))
  const script = `{\n${tails.join('\n')}\n} 2>/dev/null | tail -c ${limits.bytes * tails.length} | base64 | tr -d '\\n'\nexit 0\n`
  const { stdout } = await transport.run(script)
  return Buffer.from(stdout.raw(), 'base64').toString().split('\n')
}
