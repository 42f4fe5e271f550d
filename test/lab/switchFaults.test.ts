import { readFileSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { switchSteps } from '../../src/contracts/choices.ts'
import type { WritableSampler } from '../support/writableSampler.ts'
import { takenByFormer, type WriteLoad } from '../support/writeLoad.ts'
import { askOnce, connectClient } from './scenario/client.ts'
import { sql } from './scenario/databases.ts'
import { processOf } from './scenario/hostProcesses.ts'
import { maxHold, type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Who is who in one switch; the manager of `third` leads it. */
type Roles = { readonly from: LabHost; readonly to: LabHost; readonly third: LabHost }
type Part = keyof Roles
type Step = (typeof switchSteps)[number]

type Fault = {
  readonly name: string
  /** The host that it happens to. */
  readonly part: Part
  readonly strike: (host: LabHost) => Promise<void> | void
  /** Ends it; undefined where it ends by itself. */
  readonly mend?: (host: LabHost) => Promise<void>
  /** True if no client reaches the connector of that host meanwhile. */
  readonly isCut?: true
  /** Steps in which one writer is there only after the fault has ended. */
  readonly opens: readonly Step[]
}

const beforePromote = ['freeze', 'catch-up'] as const
const afterPromote = ['promote', 'repoint', 'release'] as const

const faults: readonly Fault[] = [
  {
    name: 'the manager that leads it is killed',
    part: 'third',
    strike: (host) => void process.kill(processOf(host, '/share/manager.json'), 'SIGKILL'),
    opens: [],
  },
  ...(['from', 'to', 'third'] as const).map(
    (part): Fault => ({
      name: { from: 'the old primary stops', to: 'the new primary stops', third: 'another replica stops' }[
        part
      ],
      part,
      strike: (host) => void process.kill(processOf(host, '/mariadbd'), 'SIGKILL'),
      mend: async (host) => {
        const started = await host.run('systemctl reset-failed mariadb; systemctl start mariadb')
        if (started.code !== 0) throw new Error(started.stderr)
      },
      opens: { from: [...switchSteps.slice(0, 5)], to: afterPromote, third: [] }[part],
    }),
  ),
  ...(['from', 'to', 'third'] as const).map(
    (part): Fault => ({
      name: {
        from: 'the cable of the old primary is pulled',
        to: 'the cable of the new primary is pulled',
        third: 'the cable of the manager that leads it is pulled',
      }[part],
      part,
      strike: (host) => host.unplug(),
      mend: (host) => host.plugIn(),
      isCut: true,
      opens: { from: [...switchSteps.slice(0, 5)], to: afterPromote, third: beforePromote }[part],
    }),
  ),
]

/** Prints what was measured. */
const report = (figures: unknown): void => {
  process.stdout.write(`figures of a disturbed switch: ${JSON.stringify(figures)}\n`)
}

/** The faults that differ most in what follows from them. All take three quarters of an hour: `MUSTER_LAB_FAULTS=.`. */
const usual = [
  'killed at the step (hold|freeze|promote|repoint)',
  'old primary stops at the step (drain|promote)',
  'new primary stops at the step (catch-up|repoint)',
  'another replica stops at the step repoint',
  'cable of the old primary is pulled at the step promote',
  'cable of the new primary is pulled at the step freeze',
  'cable of the manager that leads it is pulled at the step promote',
].join('|')

/** Part of the names of what runs: `MUSTER_LAB_FAULTS='cable.*promote'`. */
const wanted = new RegExp(process.env.MUSTER_LAB_FAULTS ?? usual)

describe.skipIf(labHere.missing)(`a switch of the primary that is disturbed${labHere.needs}`, () => {
  let lab: SwitchCluster
  let load: WriteLoad
  let sampler: WritableSampler

  const stateFileOf = (host: LabHost): string => {
    const settings = JSON.parse(readFileSync(join(host.root(), 'opt/muster/share/manager.json'), 'utf8'))
    return join(host.root(), settings.stateFile)
  }
  /** The step of the switch that a manager has recorded last; undefined for none. */
  const recordedStep = (host: LabHost): string | undefined => {
    try {
      return /"step":\s*"([a-z-]+)"/.exec(readFileSync(stateFileOf(host), 'utf8'))?.[1]
    } catch {
      return undefined
    }
  }

  /** Resolves as soon as a look at something says so; it is repeated without a pause. */
  async function soon(isThere: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!(await isThere())) {
      if (signal.aborted) throw new Error(`the switch never came so far: ${signal.reason}`)
      await delay(1)
    }
  }

  /** Resolves as soon as the manager has recorded a step, or is past it. */
  async function recorded(host: LabHost, step: Step, signal: AbortSignal): Promise<void> {
    let hasBegun = false
    let wake = (): void => undefined
    const watcher = watch(dirname(stateFileOf(host)), () => wake())
    try {
      for (;;) {
        const now = recordedStep(host)
        hasBegun ||= now !== undefined
        const at = (switchSteps as readonly (string | undefined)[]).indexOf(now)
        if (now === undefined ? hasBegun : at >= switchSteps.indexOf(step)) return
        if (signal.aborted) throw new Error(`the switch never came to ${step}: ${signal.reason}`)
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), delay(5)])
      }
    } finally {
      watcher.close()
    }
  }

  /**
   * Prepares that a switch can be caught in a step: one that is over at once is made to last from outside. `reached`
   * resolves in the step; `end` removes the obstacle.
   */
  async function trap(step: Step, { from, to, third }: Roles, signal: AbortSignal) {
    // Each time over a connection of its own: a switch ends those that are there.
    const answers = (host: LabHost, statement: string) => async (): Promise<boolean> =>
      (await lab.ask(host, statement).catch(() => [])).length > 0
    if (step === 'check' || step === 'release') {
      const statement =
        step === 'check'
          ? "SELECT 1 FROM DUAL WHERE IS_USED_LOCK('muster.switch.alpha') IS NOT NULL"
          : 'SHOW ALL SLAVES STATUS'
      return { reached: () => soon(answers(from, statement), signal), end: async () => undefined }
    }
    if (step === 'drain') {
      // A client with a transaction that does not end.
      const client = await connectClient(lab.cluster.through(from))
      const thread = await client.ask('SELECT CONNECTION_ID()')
      await client.ask('BEGIN')
      await client.ask('INSERT INTO orders SELECT COALESCE(MAX(id), 0) + 1, UUID() FROM orders o')
      return {
        reached: async () => {
          await soon(() => lab.members.every((it) => recordedStep(it) !== undefined), signal)
          await delay(50)
        },
        end: async () => {
          // Its own words may not get there.
          await lab.ask(from, `KILL ${thread}`).catch(() => undefined)
          client.end().catch(() => undefined)
        },
      }
    }
    if (step === 'catch-up') {
      const connection = await lab.administer(to)
      await connection.query('LOCK TABLES shop.load_rows READ')
      const statement =
        "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT MASTER_GTID_WAIT%'"
      return {
        reached: () => soon(answers(to, statement), signal),
        end: async () => connection.destroy(),
      }
    }
    return { reached: () => recorded(third, step, signal), end: async () => undefined }
  }

  /** Milliseconds until clients of all these connectors write to one and the same server. */
  async function oneWriter(
    connectors: readonly LabHost[],
  ): Promise<{ milliseconds: number; server: unknown }> {
    const begin = performance.now()
    const server = await eventually(
      `one writer for clients of ${connectors.map(({ name }) => name).join(', ')}`,
      async () => {
        const told = await Promise.all(
          connectors.map(async (it) => {
            await askOnce(
              lab.cluster.through(it),
              'INSERT INTO orders SELECT COALESCE(MAX(id), 0) + 1, UUID() FROM orders o',
            ).catch((error: Error) => {
              // Two such clients may have had the same number in mind.
              if (!/Duplicate|Deadlock/.test(error.message)) throw error
            })
            return await askOnce(lab.cluster.through(it), 'SELECT @@server_id')
          }),
        )
        if (new Set(told).size === 1) return told[0] as number
        throw new Error(`they write to ${told.join(', ')}`)
      },
      { timeout: 90_000, every: 50 },
    )
    return { milliseconds: Math.round(performance.now() - begin), server }
  }

  /** Calls `tapi switch` until one goes well; how often, and what those before said. */
  async function nextSwitch(): Promise<{ calls: number; said: readonly string[] }> {
    const said: string[] = []
    await eventually(
      'a switch that goes well',
      async () => {
        const primary = await lab.primary()
        const outcome = await lab.switchTo(lab.after(primary), primary)
        if (outcome.code === 0) return true
        const words = outcome.stderr.replaceAll(/\s+/g, ' ')
        said.push(words)
        // A server learns after hours that a client in a transaction was cut off; a person does as the refusal says.
        const orphans = words.matchAll(/(\w+): A transaction of user app \(thread (\d+)\)/g)
        for (const [, name = '', thread] of orphans) {
          await lab.ask(lab.member(name), `KILL ${thread}`).catch(() => undefined)
        }
        throw new Error(outcome.stderr)
      },
      { timeout: 60_000, every: 2000 },
    ).catch((error: Error) => said.push(`in vain: ${error.message}`))
    return { calls: said.length + 1, said }
  }

  /** Whatever the case before left: everything runs, one is the primary, and the others follow it. */
  async function repair(): Promise<void> {
    for (const it of lab.members) {
      await it.plugIn()
      await eventually(`${it.name} over SSH`, async () => (await it.run('true')).code === 0)
      await it.run('systemctl reset-failed mariadb; systemctl start mariadb muster-alpha-manager')
      // Of clients whose host was cut off a server learns late that they are gone.
      const left = await lab.ask(it, "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'app'")
      for (const { ID } of left) await lab.ask(it, `KILL ${ID}`).catch(() => undefined)
    }
    const [first = lab.member('db1')] = lab.members
    const claimants: LabHost[] = []
    const followed: unknown[] = []
    for (const it of lab.members) {
      const channels = await lab.ask(it, 'SHOW ALL SLAVES STATUS')
      followed.push(...channels.map(({ Master_Host }) => Master_Host))
      if (channels.length === 0 && (await sql(it, 'SELECT @@read_only')) === '0') claimants.push(it)
    }
    const primary = claimants.find((it) => followed.includes(it.address)) ?? claimants[0] ?? first
    if (claimants.length !== 1) {
      await sql(primary, 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0').catch(() => undefined)
    }
    for (const it of lab.members.filter((one) => one !== primary)) {
      await sql(it, 'SET GLOBAL read_only = 1')
      const [channel] = await lab.ask(it, 'SHOW ALL SLAVES STATUS')
      if (channel?.Master_Host === primary.address && channel.Slave_SQL_Running === 'Yes') continue
      await sql(it, 'SET GLOBAL gtid_slave_pos = @@gtid_binlog_pos').catch(() => undefined)
      await sql(it, lab.follow(primary))
    }
    await lab.settled()
  }

  beforeAll(async () => {
    lab = await startSwitchCluster()
    const install = await lab.cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    for (const it of lab.members) {
      // One that was stopped stays so until the test starts it.
      await it.run(
        'mkdir -p /etc/systemd/system/mariadb.service.d; printf "[Service]\\nRestart=no\\n" > /etc/systemd/system/mariadb.service.d/lab.conf; systemctl daemon-reload',
      )
    }
    await lab.settled()
  })
  afterEach(async () => {
    await load?.stop()
    await sampler?.stop()
  })
  afterAll(() => lab?.stop())

  const cases = faults
    .flatMap((fault) =>
      switchSteps.map((step) => ({ fault, step, title: `${fault.name} at the step ${step}` })),
    )
    .filter(({ title }) => wanted.test(title))

  it.each(cases.map(({ title, ...more }) => [title, more] as const))(
    'has one writer or none, and loses no row, if %s',
    async (_title, { fault, step }) => {
      await repair()
      const from = await lab.settled()
      const to = lab.after(from)
      const roles: Roles = { from, to, third: lab.after(to) }
      const struck = roles[fault.part]
      // Clients of a host whose cable is pulled wait for their own network.
      load = lab.load(
        { each: 6, kept: 6 },
        fault.isCut ? lab.members.filter((it) => it !== struck) : lab.members,
      )
      sampler = lab.sample()
      await delay(1000)

      const window = { begin: performance.now(), end: Number.POSITIVE_INFINITY }
      const gone = new AbortController()
      const trapped = await trap(step, roles, gone.signal)
      const isReached = trapped.reached()
      isReached.catch(() => undefined)
      const started = lab.start(roles.third, to)
      started.then(
        ({ status, payload }) => status === 200 || gone.abort(JSON.stringify(payload)),
        () => undefined,
      )
      const timer = setTimeout(() => gone.abort(), 20_000)
      try {
        await isReached
      } catch (error) {
        await trapped.end()
        throw error
      } finally {
        clearTimeout(timer)
      }
      const steps = lab.members.map((it) => recordedStep(it) ?? null)
      await fault.strike(struck)
      const strikenAt = performance.now()
      await delay(300)
      await trapped.end()
      const answered = await started.then(
        ({ status, payload }) => (status === 200 ? payload.taskId : `${status} ${JSON.stringify(payload)}`),
        String,
      )

      const reachable = lab.members.filter((it) => !(fault.isCut && it === struck))
      // It may have gone on until the fault was there.
      const isPromoting = [roles.from, roles.third]
        .map(recordedStep)
        .some((it) => (afterPromote as readonly (string | undefined)[]).includes(it))
      const opens = fault.opens.includes(step) || (fault.opens === afterPromote && isPromoting)
      const early = opens ? undefined : await oneWriter(reachable)
      const rest = maxHold + 4000 - (performance.now() - strikenAt)
      if (fault.mend && rest > 0) await delay(rest)
      const overlapsBefore = sampler.overlaps()
      await fault.mend?.(struck)
      const late = await oneWriter(lab.members)
      const next = await nextSwitch()
      await load.stop()
      await sampler.stop()
      const { missing, rows } = await lab.missing(load)
      report({
        fault: fault.name,
        step,
        steps,
        answered,
        early,
        late,
        next,
        overlaps: sampler.overlaps().length,
        rows: load.acknowledged.length,
      })
      expect(missing).toEqual({ db1: [], db2: [], db3: [] })
      // A database that is started again is what its own configuration says: writable in this lab.
      expect(fault.mend && !fault.isCut ? overlapsBefore : sampler.overlaps()).toEqual([])
      const servers = { former: lab.numberOf(from), successor: lab.numberOf(to) }
      expect(
        takenByFormer(load, rows, { ...servers, window: { ...window, end: strikenAt + maxHold } }),
      ).toEqual([])
      expect(next.said.filter((it) => it.startsWith('in vain'))).toEqual([])
    },
  )
})
