import { describe, expect, it } from 'vitest'
import type { SeenService } from '../../../src/client/clusterView.ts'
import { type DrillOrder, drillWriters, type LedgerRows } from '../../../src/contracts/drilling.ts'
import { envelope } from '../../../src/contracts/envelope.ts'
import type { DrillHost } from '../../../src/deployment/drill/hostOrders.ts'
import { type DrillStep, runDrill } from '../../../src/deployment/drill/runDrill.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { primary, replica, service } from '../../output/clusterViews.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { drillPlan } from '../../support/drillValues.ts'
import { type Expectation, fakeTransport } from '../../support/fakeTransport.ts'

const names = drillPlan.servers
/** Rows of each writer, before and after the fault. */
const mostWritten = 60
const password = 'the-password-of-the-account'

/** Runs a drill that kills the primary db1 on hosts that exist in this test alone; time passes while somebody waits. */
function startWorld(wish: {
  /** Servers that follow nobody after the fault. */
  readonly away?: readonly string[]
  /** Returns true for a row that a server does not get. */
  readonly loses?: (name: string, row: number) => boolean
  readonly refused?: string
}) {
  const { away = [], loses = () => false } = wish
  const rows = new Map<string, ReadonlySet<number>>()
  const ledgers = new Set<string>()
  const ordered: string[] = []
  const scripts: string[] = []
  let time = 1000
  let isStruck = false
  let isHealed = false
  let written = 0
  let emit: ((line: object) => void) | undefined

  const follows = (name: string): boolean =>
    !isStruck || (name === 'db1' ? isHealed && !away.includes(name) : !away.includes(name))
  const write = (): void => {
    if (emit === undefined || written === mostWritten) return
    written += 1
    for (let writer = 0; writer < drillWriters; writer += 1) {
      emit({ writer, row: written, begin: time - 1, end: time })
    }
  }
  /** Gives servers that follow what they did not have yet. */
  const replicate = (): void => {
    const numbers = Array.from({ length: written }, (_, at) => at + 1)
    for (const name of names.filter(follows)) {
      rows.set(name, new Set(numbers.filter((row) => !loses(name, row))))
    }
  }
  const clock = {
    now: () => time,
    wait: async (milliseconds: number) => {
      time += milliseconds
      write()
      replicate()
    },
  }
  const status = (): SeenService => {
    const writer = isStruck ? 'db2' : 'db1'
    const datasources = names.map((name) => ({
      ...(name === writer ? primary : replica),
      ...{ name, host: `10.0.0.1${name.slice(2)}` },
      ...(follows(name) ? {} : ({ state: 'FAILED', reason: 'it has transactions of its own' } as const)),
    }))
    const seen = service(...datasources)
    return {
      ...{ ...seen, writer: { ...seen.writer, datasource: writer } },
      failover: { automatic: true, reason: null },
    }
  }
  const rangesOf = (name: string): LedgerRows => {
    const numbers = [...(rows.get(name) ?? [])]
    return Array.from({ length: drillWriters }, () => numbers.map((row): [number, number] => [row, row]))
  }
  function obey(name: string, order: DrillOrder): { readonly stdout?: string; readonly stderr?: string } {
    ordered.push(`${name} ${order.do}`)
    switch (order.do) {
      case 'look':
        return { stdout: JSON.stringify({ ledger: ledgers.has(name) ? 'own' : 'none', database: 'mariadb' }) }
      case 'prepare':
        for (const it of names) ledgers.add(it)
        return { stdout: JSON.stringify({ password }) }
      case 'strike':
        if (wish.refused !== undefined) return { stderr: wish.refused }
        isStruck = true
        return {}
      case 'heal':
        isHealed = true
        return {}
      case 'read':
        return { stdout: JSON.stringify(rangesOf(name)) }
      case 'remove':
        for (const it of names.filter(follows)) ledgers.delete(it)
        return {}
      case 'write':
        throw new Error('writers are followed')
    }
  }
  const expectationsOf = (name: string): readonly Expectation[] => [
    {
      script: 'drill --settings',
      result: (script, { stdin }) => {
        scripts.push(script)
        const order = JSON.parse(stdin instanceof Secret ? stdin.reveal() : '') as DrillOrder
        const outcome = obey(name, order)
        return { ...outcome, code: outcome.stderr === undefined ? 0 : 1 }
      },
    },
    {
      script: / call\b/,
      result: () => ({
        stdout: JSON.stringify([
          { id: 'manager', status: 200, body: envelope('ServiceStatusPayload', status()) },
        ]),
      }),
    },
  ]
  const hosts = names.map(
    (name) =>
      ({
        host: hostConfig({ name }),
        transport: fakeTransport({ host: name, expect: expectationsOf(name) }),
        facts: hostFacts({ installation: installationFacts({ currentRelease: '1' }) }),
      }) as unknown as DrillHost,
  )
  const writers = {
    ...fakeTransport({ host: 'db2' }),
    follow: async (script: string, options: Parameters<NonNullable<Transport['follow']>>[1]) => {
      scripts.push(script.replace(`"password":"${password}"`, ''))
      emit = (line) => options.onOutput(Buffer.from(`${JSON.stringify(line)}\n`))
      await new Promise((resolve) => options.signal?.addEventListener('abort', resolve))
      emit = undefined
      return { code: 0, stderr: { raw: () => '' } }
    },
  }
  const steps: DrillStep[] = []
  const run = () =>
    runDrill({
      ...{ plan: drillPlan, hosts, writer: hosts[1] as DrillHost, cluster: 'alpha', clock },
      now: () => new Date(time),
      connect: async () => writers as unknown as Transport,
      onStep: (step) => steps.push(step),
      onMoment: () => undefined,
      signal: new AbortController().signal,
    })
  return { run, steps, ordered, scripts, ledgers, clock }
}

describe('a drill', () => {
  it('proves that each server has all that was acknowledged, and removes what it made', async () => {
    const world = startWorld({})
    const report = await world.run()
    expect(report).toMatchObject({ problems: [], newPrimary: 'db2', interrupted: false })
    expect(report.struck.getTime()).toBeGreaterThan(1000)
    expect(report.proofs).toEqual(
      names.map((host) => ({ host, follows: true, proof: { missing: 0, examples: [], unanswered: 0 } })),
    )
    expect(report.rows.acknowledged).toBeGreaterThan(80)
    expect(world.steps).toEqual(['prepare', 'write', 'strike', 'heal', 'prove', 'remove'])
    expect([...world.ledgers]).toEqual([])
    expect(world.scripts.join()).not.toContain(password)
  })

  it('tells what a server lacks that does not follow from what was lost, and does not wait for it', async () => {
    const world = startWorld({ away: ['db1'] })
    const report = await world.run()
    expect(report.proofs.map(({ host, follows }) => [host, follows])).toEqual([
      ['db1', false],
      ['db2', true],
      ['db3', true],
    ])
    expect(report.proofs[0]?.proof).toMatchObject({ missing: expect.toSatisfy((it: number) => it > 0) })
    expect(report.problems).toEqual(['db1: it is FAILED: it has transactions of its own'])
    expect(world.ordered.filter((it) => it === 'db1 read')).toHaveLength(1)
    expect(world.ordered.at(-1)).toMatch(/^db[23] look$/)
    expect([...world.ledgers]).toEqual(['db1'])
  })

  it('finds a row that a server lacks that follows', async () => {
    const world = startWorld({ loses: (name, row) => name === 'db3' && row === 7 })
    const report = await world.run()
    expect(report.proofs[2]).toEqual({
      ...{ host: 'db3', follows: true },
      proof: { missing: 4, examples: ['0:7', '1:7', '2:7', '3:7'], unanswered: 0 },
    })
  })

  it('removes what it made where the fault cannot be made, and says why', async () => {
    const world = startWorld({ refused: 'muster-api: no service of systemd runs a server' })
    await expect(world.run()).rejects.toThrow('no service of systemd runs a server')
    expect(world.ordered).not.toContain('db1 read')
    expect([...world.ledgers]).toEqual([])
  })
})
