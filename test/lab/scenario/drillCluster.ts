import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type DrillFault, drillWriters } from '../../../src/contracts/drilling.ts'
import type { Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { protectedNow, startLosslessCluster } from './losslessCluster.ts'
import type { ServerKind } from './serverKind.ts'
import type { SwitchCluster } from './switchCluster.ts'

/** A cluster on which drills are made. */
export type DrillCluster = {
  readonly lab: SwitchCluster
  readonly drill: (...argv: readonly string[]) => Promise<Outcome>
  /** Starts one that a test ends. */
  readonly startDrill: (fault: DrillFault) => {
    readonly running: Promise<Outcome>
    readonly kill: (signal: NodeJS.Signals) => void
  }
  /** Waits until each manager would replace a lost primary; returns the primary. */
  readonly whole: () => Promise<LabHost>
  /** Returns what drills left in the servers and on the hosts: databases, accounts, rules and units. */
  readonly left: () => Promise<readonly string[]>
  /** Makes one that loses nothing, and expects what its report has to say; resolves to its output. */
  readonly pass: (fault: DrillFault) => Promise<string>
}

/** Starts a cluster that loses nothing. */
export async function startDrillCluster(wish: { readonly kind?: ServerKind } = {}): Promise<DrillCluster> {
  const lab = await startLosslessCluster(wish)

  const drill = (...argv: readonly string[]): Promise<Outcome> =>
    lab.cluster.operator.muster(['drill', ...argv, 'alpha.yaml'], { timeout: 1_200_000 })
  const startDrill: DrillCluster['startDrill'] = (fault) => {
    let pid = 0
    const running = lab.cluster.operator.muster(['drill', fault, '--yes', 'alpha.yaml'], {
      timeout: 1_200_000,
      onStart: (started) => {
        pid = started
      },
    })
    return { running, kill: (signal) => void process.kill(pid, signal) }
  }
  async function whole(): Promise<LabHost> {
    const primary = await lab.settled()
    await protectedNow(lab)
    return primary
  }
  async function left(): Promise<readonly string[]> {
    const found = await Promise.all(
      lab.members.map(async (it) => {
        const rows = await lab.ask(
          it,
          "SELECT SCHEMA_NAME AS it FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'muster_drill' UNION ALL SELECT User FROM mysql.user WHERE User = 'muster_drill'",
        )
        const { stdout } = await it.run(
          "ip rule show pref 77; systemctl list-units --all --no-legend 'muster-drill*'",
        )
        return [
          ...rows.map((row) => String(row.it)),
          ...stdout.split('\n').filter((line) => line !== ''),
        ].map((what) => `${it.name}: ${what}`)
      }),
    )
    return found.flat()
  }

  const pass = async (fault: DrillFault): Promise<string> => {
    const from = await whole()
    const { code, stdout, stderr } = await drill(fault, '--yes', '--report', `${fault}.json`)
    process.stdout.write(stdout)
    expect(code, `${stdout}${stderr}`).toBe(0)
    const { directory } = lab.cluster.operator
    const report = JSON.parse(readFileSync(join(directory, `${fault}.json`), 'utf8')) as {
      readonly verdict: string
      readonly newPrimary: string
      readonly rows: { readonly acknowledged: number }
      readonly proofs: readonly { readonly host: string; readonly proof: { readonly missing: number } }[]
      readonly moments: Readonly<Record<string, number>>
    }
    expect(report).toMatchObject({ verdict: 'passed', problems: [], interrupted: false })
    expect(report.newPrimary).not.toBe(from.name)
    expect(report.proofs.map(({ host, proof }) => [host, proof.missing])).toEqual([
      ['db1', 0],
      ['db2', 0],
      ['db3', 0],
    ])
    expect(Object.keys(report.moments).sort()).toEqual(
      ['failed', 'healed', 'online', 'primary', 'row', 'whole'].sort(),
    )
    // Twice as many as a drill waits for before it begins: how many there are is a matter of the machine's speed.
    expect(report.rows.acknowledged).toBeGreaterThan(drillWriters * 40)
    expect((await whole()).name).toBe(report.newPrimary)
    expect(await left()).toEqual([])
    return stdout
  }
  return { lab, drill, startDrill, whole, left, pass }
}
