import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processOf } from './scenario/hostProcesses.ts'
import { serverKinds } from './scenario/serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Ways in which a server comes to be started again; each settles while it starts. */
const starts: Readonly<Record<string, (host: LabHost, unit: string) => Promise<void>>> = {
  'its server is restarted': async (host, unit) => {
    const { code, stderr } = await host.run(`systemctl restart --no-block ${unit}`)
    if (code !== 0) throw new Error(stderr)
  },
  'its server is killed': async (host, unit) => {
    const script =
      `systemctl kill --signal=KILL ${unit}; while systemctl is-active --quiet ${unit}; do sleep 0.05; done; ` +
      `systemctl reset-failed ${unit}; systemctl start --no-block ${unit}`
    const { code, stderr } = await host.run(script)
    if (code !== 0) throw new Error(stderr)
  },
  'the power cord of its host is pulled': async (host) => {
    await host.kill()
    await host.boot()
  },
}

const kinds = Object.values(serverKinds)

describe.skipIf(labHere.missing).each(kinds)(
  `a server of $name that starts again after a switch${labHere.needs}`,
  (kind) => {
    let lab: SwitchCluster
    beforeAll(async () => {
      lab = await startSwitchCluster([], kind)
      const install = await lab.cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
      expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
      for (const it of lab.members) {
        writeFileSync(join(it.root(), kind.configuration.folder, '99-role.cnf'), '[mysqld]\nread_only = 1\n')
      }
      await lab.settled()
    })
    afterAll(() => lab?.stop())

    const isWritable = async (host: LabHost): Promise<boolean> => {
      const [row] = await lab.ask(host, 'SELECT @@GLOBAL.read_only AS it')
      return Number(row?.it) === 0
    }
    /** Starts a server again; resolves to milliseconds from its first answer until `done`. */
    async function again(host: LabHost, how: string, done: () => Promise<boolean>): Promise<number> {
      const before = processOf(host, kind.program)
      await starts[how]?.(host, kind.unit)
      const wait = { timeout: 120_000, every: 20 }
      await eventually(
        `another server of ${host.name}`,
        async () =>
          processOf(host, kind.program) !== before && (await lab.ask(host, 'SELECT 1')).length === 1,
        wait,
      )
      const begun = performance.now()
      await eventually(`the role of ${host.name} after ${how}`, done, wait)
      return Math.round(performance.now() - begun)
    }

    it('has the role that it had, without a person, and there are never two writers', async () => {
      const sampler = lab.sample()
      const load = lab.load({ each: 4, kept: 4 })
      try {
        for (const how of Object.keys(starts)) {
          const from = await lab.settled()
          const to = lab.after(from)
          const { code, stdout, stderr } = await lab.switchTo(to, lab.after(to))
          expect(code, `${stdout}${stderr}`).toBe(0)
          await lab.settled()
          const milliseconds = await again(to, how, () => isWritable(to))
          expect(await lab.settled()).toBe(to)
          const had = load.acknowledged.length
          await eventually('rows of the clients', () => load.acknowledged.length > had + 20, {
            timeout: 60_000,
          })
          process.stdout.write(
            `${kind.name}: a writer again, ${milliseconds} ms after its server answers: ${how}\n`,
          )
          await again(from, how, async () => !(await isWritable(from)))
          expect(await lab.settled()).toBe(to)
          expect(sampler.overlaps(), how).toEqual([])
        }
      } finally {
        await sampler.stop()
        await load.stop()
      }
      expect((await lab.missing(load)).missing).toEqual({ db1: [], db2: [], db3: [] })
    })
  },
)
