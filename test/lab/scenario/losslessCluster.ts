import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import type { Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { type ServerKind, usualKind } from './serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './switchCluster.ts'

/** Starts and installs a cluster with the settings of the guide with which nothing is lost; db1 is the source. */
export async function startLosslessCluster({
  kind = usualKind,
}: {
  readonly kind?: ServerKind
} = {}): Promise<SwitchCluster> {
  const lab = await startSwitchCluster([], kind)
  try {
    for (const it of lab.members) {
      // After all other lines.
      const file = join(it.root(), kind.configuration.folder, 'zzz-lossless.cnf')
      writeFileSync(file, `${['[mysqld]', ...kind.lossless].join('\n')}\n`)
      const folder = join(it.root(), `etc/systemd/system/${kind.unit}.service.d`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'lab.conf'), '[Service]\nRestart=no\n')
      succeeded(await it.run(`systemctl daemon-reload && systemctl restart ${kind.unit}`))
    }
    const db1 = lab.member('db1')
    await lab.ask(db1, kind.setWritable)
    await lab.install()
    await eventually('a source of semi-synchronous replication by the manager of its host', async () => {
      const [row] = await lab.ask(db1, kind.sourceStatus)
      return row?.Value === 'ON'
    })
    return lab
  } catch (error) {
    await lab.stop()
    throw error
  }
}

function succeeded({ code, stdout, stderr }: Outcome): void {
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`)
}

/** Waits until each manager would replace the primary by itself. */
export async function protectedNow(lab: SwitchCluster): Promise<void> {
  for (const it of lab.members) {
    await eventually(`what the manager of ${it.name} would do`, async () => {
      const { failover } = await lab.cluster.service(it)
      if (failover.automatic && failover.reason === null) return true
      throw new Error(JSON.stringify(failover))
    })
  }
}

/** Waits until the manager of another host names another primary than this one; returns that. */
export const successorOf = (lab: SwitchCluster, primary: LabHost): Promise<LabHost> =>
  eventually(
    'another primary',
    async () => {
      const { writer } = await lab.cluster.service(lab.after(primary))
      const found = lab.members.find((it) => it !== primary && it.name === writer.datasource)
      if (!found) throw new Error(JSON.stringify(writer))
      return found
    },
    { timeout: 180_000 },
  )

/** Starts a server again, also after a crash: its unit does not do that in such a cluster. */
export const startServer = (host: LabHost, { unit }: ServerKind = usualKind): Promise<unknown> =>
  host.run(`systemctl reset-failed ${unit}; systemctl start ${unit}`)
