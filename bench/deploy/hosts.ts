import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { clusterFile } from '../../test/lab/scenario/clusterFile.ts'
import { createOperator, type Operator } from '../../test/lab/scenario/operator.ts'
import { execute, succeed } from '../../test/lab/support/execute.ts'
import { startLab } from '../../test/lab/support/lab.ts'
import { hostOf, type Lab, type LabHost } from '../../test/lab/support/labTypes.ts'
import { sshArguments } from '../../test/lab/support/sshArguments.ts'

export const password = 'bench-Zo3hFq8sLw'

/** Ten Debian hosts, and somebody who installs a cluster on all of them. */
export type BenchHosts = {
  readonly lab: Lab
  readonly hosts: readonly LabHost[]
  readonly operator: Operator
  /** Milliseconds that `muster install --yes` took. */
  install(): Promise<number>
  /** The same where all is there: it must find nothing to do. */
  installAgain(): Promise<number>
  /** Takes everything away again; the runtime is not kept either. */
  remove(): Promise<void>
  /** The OpenSSH command line that reaches a host, without the command. */
  ssh(host: LabHost): readonly string[]
}

/** `defaults` are further lines of the file. */
export async function startHosts(count: number, defaults: readonly string[] = []): Promise<BenchHosts> {
  const names = Array.from({ length: count }, (_, index) => `db${index + 1}`)
  // Ansible's modules are programs of Python.
  const lab = await startLab({ hosts: names, packages: ['python3'] })
  const operator = createOperator(lab, 'bench', password)
  const file = {
    cluster: 'alpha',
    topology: 'clustered',
    hosts: names.map((name) => ({ name })),
    defaults,
  } as const
  operator.write('alpha.yaml', clusterFile(lab, file))
  const must = async (args: readonly string[], says = ''): Promise<number> => {
    const began = performance.now()
    const { code, stdout, stderr } = await operator.muster([...args, 'alpha.yaml'], { timeout: 600_000 })
    if (code !== 0 || !stdout.includes(says)) {
      throw new Error(`muster ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
    }
    return performance.now() - began
  }
  const hosts = names.map((name) => hostOf(lab, name))
  return {
    lab,
    hosts,
    operator,
    install: () => must(['install', '--yes']),
    installAgain: () => must(['install', '--yes'], 'nothing to do'),
    remove: async () => void (await must(['uninstall', '--yes', '--purge'])),
    ssh: ({ address }) => sshArguments(lab, `root@${address}`),
  }
}

/** Fetches what an installation has made of every host into `folder`, as `<host>/opt/muster/…` and `<host>/var/lib/muster-alpha/…`. */
export async function fetchTrees({ hosts, ssh }: BenchHosts, folder: string): Promise<void> {
  const fetched = await Promise.allSettled(
    hosts.map(async (host) => {
      const into = join(folder, host.name)
      mkdirSync(into, { recursive: true })
      const pack = 'cd / && tar -cf - opt/muster etc/systemd/system/muster-*.service var/lib/muster-alpha'
      const script = 'dir=$1; shift; ssh "$@" | tar -C "$dir" --numeric-owner -xpf -'
      await succeed('bash', ['-o', 'pipefail', '-c', script, 'fetch', into, ...ssh(host), pack])
    }),
  )
  for (const one of fetched) if (one.status === 'rejected') throw one.reason
}

/** Ends what an installation of ours or of others runs on the hosts, and removes all of it. */
export async function wipe({ hosts, ssh }: BenchHosts): Promise<void> {
  const script = `systemctl disable --now 'muster-alpha-*' 2>/dev/null
for c in manager connector replicator; do systemctl disable --now muster-alpha-$c 2>/dev/null; done
rm -rf /opt/muster /etc/systemd/system/muster-* /var/lib/muster-alpha /var/log/muster-alpha
systemctl daemon-reload; systemctl reset-failed
userdel muster-alpha 2>/dev/null; sync; true`
  await Promise.all(hosts.map((host) => execute('ssh', [...ssh(host), script])))
}
