import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import type { Transport } from '../transport/transport.ts'
import { type Machines, otherMachine } from './hostIdentity.ts'
import { layoutOf } from './layout.ts'
import { changeableFunction, trustedRoot, untrustedFolder } from './trustedFolder.ts'

/**
 * Asks a host that was reached over SSH who it is, in one round trip, for commands that read no facts. Rejects with a
 * `StepError`, code `other-machine`, where it is not the machine that was installed, or `install-directory-untrusted`,
 * and with a `TransportError`.
 */
export async function mustBeOwnMachine(
  transport: Transport,
  { host, machines }: { readonly host: HostConfig; readonly machines: Machines },
): Promise<void> {
  // Whatever this machine is, it is meant.
  if (host.connection !== 'ssh') return
  const { manifest } = layoutOf(host.installDirectory)
  const { stdout } = await transport.run(
    `root=${quote(host.installDirectory)}
${changeableFunction}
printf '%s\\n' "$(cat /etc/machine-id 2>/dev/null)"
${trustedRoot(`printf '\\n%s\\n' "$(printf %s "$found" | base64 -w0)"; exit 0`)}
base64 -w0 ${quote(manifest)} 2>/dev/null; exit 0`,
  )
  const [machineId = '', manifestText = '', untrusted = ''] = stdout
    .raw()
    .split('\n', 3)
    .map((line, index) => (index === 0 ? line : decode(line)))
  if (untrusted !== '') throw untrustedFolder(host, untrusted)
  const installed = manifestText === '' ? {} : { manifest: manifestText }
  const other = otherMachine({ host, facts: { machineId, installation: installed }, machines })
  if (other !== undefined) throw other
}

const decode = (encoded: string): string => Buffer.from(encoded, 'base64').toString('utf8')
