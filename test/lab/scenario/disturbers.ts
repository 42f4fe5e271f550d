import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'
import { sql } from './databases.ts'
import type { ServerKind } from './serverKind.ts'
import type { SwitchCluster } from './switchCluster.ts'

/** Hosts of one switch. */
export type Roles = { readonly from: LabHost; readonly to: LabHost; readonly third: LabHost }

/** Something that goes on while a switch runs. */
export type Disturbance = {
  /** Ends what writes; what was acknowledged until then counts. */
  readonly stop: () => Promise<void>
  /** Acknowledged changes that a server lacks. */
  readonly lost: (host: LabHost) => Promise<readonly string[]>
  /** Removes it, so that all servers can follow one primary. */
  readonly repair: () => Promise<void>
}

export type Disturber = {
  readonly name: string
  readonly begin: (lab: SwitchCluster, roles: Roles) => Promise<Disturbance>
  /** Set if the switch never takes place, for this reason. */
  readonly refused?: RegExp
  /** True if a server may be left that does not follow, by what is written there after the switch. */
  readonly mayBeIncomplete?: true
}

/** Each line adds as many rows as there are, but the first; 262,144 in the end. */
const doublings = Array.from(
  { length: 18 },
  (_, power) => `INSERT INTO shop.big SELECT seq + ${2 ** power}, note FROM shop.big;`,
)

/** Tables that disturbers write to. */
export const disturbedTables = [
  'CREATE TABLE shop.disturbed (seq BIGINT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB;',
  'CREATE TABLE shop.heartbeat (id INT PRIMARY KEY, seq BIGINT) ENGINE=InnoDB;',
  'INSERT INTO shop.heartbeat VALUES (1, 0);',
  'CREATE TABLE shop.big (seq INT PRIMARY KEY, note CHAR(200)) ENGINE=InnoDB;',
  "INSERT INTO shop.big VALUES (1, 'x');",
  ...doublings,
].join('\n')

const nothing = async (): Promise<void> => undefined
const quiet = { stop: nothing, lost: async () => [], repair: nothing } satisfies Disturbance

const seqs = async (lab: SwitchCluster, host: LabHost, table: string): Promise<readonly number[]> =>
  (await lab.ask(host, `SELECT seq FROM shop.${table}`)).map(({ seq }) => Number(seq))

/** Runs a statement with a growing number over the socket without end; a session that is cut is opened again on demand. */
async function writeAtSocket(
  lab: SwitchCluster,
  host: LabHost,
  { statement, opensAgain = false }: { readonly statement: string; readonly opensAgain?: boolean },
): Promise<{ readonly acknowledged: readonly number[]; readonly stop: () => Promise<void> }> {
  const acknowledged: number[] = []
  let isOver = false
  let seq = 0
  async function session(): Promise<void> {
    const connection = await lab.administer(host)
    try {
      while (!isOver) {
        seq += 1
        await connection.query(statement, [seq])
        acknowledged.push(seq)
      }
    } finally {
      connection.destroy()
    }
  }
  async function sessions(): Promise<void> {
    do await session().catch(() => undefined)
    while (opensAgain && !isOver)
  }
  const running = sessions()
  await eventually('acknowledged changes of root', () => acknowledged.length > 10)
  return {
    acknowledged,
    stop: async () => {
      isOver = true
      await running
    },
  }
}

/** Makes a replica that has transactions of its own agree with its primary again. */
async function forgetOwn(lab: SwitchCluster, host: LabHost, undoing: string): Promise<void> {
  const { stop, start, forgetOwn: forget } = lab.cluster.kind
  await sql(host, stop)
  await sql(host, `${forget(undoing, await lab.position(await lab.primary()))}; ${start}`)
}

const insert = 'INSERT INTO shop.disturbed VALUES (?)'

const lostRows = (lab: SwitchCluster, acknowledged: readonly number[]): Disturbance['lost'] => {
  return async (host) => {
    const has = new Set(await seqs(lab, host, 'disturbed'))
    return acknowledged.filter((seq) => !has.has(seq)).map(String)
  }
}

/** Begins a disturbance that SQL on a server begins and ends. */
async function set(host: LabHost, doing: string, undoing: string): Promise<Disturbance> {
  await sql(host, doing)
  return { ...quiet, repair: async () => void (await sql(host, undoing)) }
}

/** Runs statements over the socket that take a while, one after the other; begun once the first of them is seen. */
async function busy(
  lab: SwitchCluster,
  host: LabHost,
  statements: readonly string[],
  begun: (connection: number) => Promise<boolean>,
): Promise<Disturbance> {
  const connection = await lab.administer(host)
  async function run(): Promise<void> {
    for (const it of statements) await connection.query(it)
  }
  // A switch may end it.
  const running = run().catch(() => undefined)
  await eventually('the beginning', () => begun(connection.threadId))
  return {
    ...quiet,
    stop: async () => {
      await running
      connection.destroy()
    },
  }
}

const runs = (lab: SwitchCluster, host: LabHost, words: string) => async (id: number) =>
  (await lab.ask(host, 'SHOW FULL PROCESSLIST')).some(
    (it) => Number(it.Id) === id && String(it.Info).startsWith(words),
  )

/** Changes a replica while it does not replicate. */
const stopped = ({ stop, start }: ServerKind, doing: string): string => `${stop}; ${doing}; ${start}`

/** Disturbers of servers of a kind. */
export const disturbersOf = (kind: ServerKind): readonly Disturber[] => [
  {
    name: 'root inserts over the socket in one session',
    begin: async (lab, { from }) => {
      const { acknowledged, stop } = await writeAtSocket(lab, from, { statement: insert })
      return { ...quiet, stop, lost: lostRows(lab, acknowledged) }
    },
  },
  {
    name: 'root inserts over the socket and connects again',
    ...(kind.bindsRoot ? {} : { mayBeIncomplete: true }),
    begin: async (lab, { from }) => {
      const { acknowledged, stop } = await writeAtSocket(lab, from, { statement: insert, opensAgain: true })
      const lost = lostRows(lab, acknowledged)
      return {
        stop,
        lost,
        repair: async () => {
          // What it wrote after the switch is on the old primary alone.
          if (!kind.bindsRoot && (await lab.primary()) !== from)
            await forgetOwn(lab, from, 'DELETE FROM shop.disturbed')
        },
      }
    },
  },
  {
    name: 'a heartbeat is updated with SUPER',
    begin: async (lab, { from }) => {
      const statement = 'UPDATE shop.heartbeat SET seq = ? WHERE id = 1'
      const { acknowledged, stop } = await writeAtSocket(lab, from, { statement })
      const lost: Disturbance['lost'] = async (host) => {
        const [has = 0] = await seqs(lab, host, 'heartbeat')
        return acknowledged.slice(-1).flatMap((last) => (last > has ? [`${last} (it has ${has})`] : []))
      }
      return { ...quiet, stop, lost }
    },
  },
  {
    name: 'an event inserts',
    ...(kind.bindsRoot ? {} : { refused: /event scheduler runs/ }),
    begin: async (lab, { from }) => {
      await sql(
        from,
        'CREATE EVENT shop.beat ON SCHEDULE EVERY 1 SECOND DO INSERT INTO shop.disturbed VALUES ();' +
          'SET GLOBAL event_scheduler = ON',
      )
      await eventually('a row of the event', async () => (await seqs(lab, from, 'disturbed')).length > 0, {
        timeout: 20_000,
      })
      const acknowledged: number[] = []
      return {
        stop: async () => {
          await sql(from, 'SET GLOBAL event_scheduler = OFF')
          acknowledged.push(...(await seqs(lab, from, 'disturbed')))
          await sql(await lab.primary(), 'DROP EVENT shop.beat')
        },
        lost: lostRows(lab, acknowledged),
        repair: nothing,
      }
    },
  },
  {
    name: 'the old primary has a second channel',
    refused: /follows|no primary|nobody for/,
    begin: (_lab, { from, third }) =>
      set(from, `${kind.beforeFollow}; ${kind.follow(third, 'second')}`, kind.forget('second')),
  },
  {
    name: 'FLUSH TABLES WITH READ LOCK is held for three seconds',
    begin: (lab, { from }) =>
      busy(
        lab,
        from,
        ['FLUSH TABLES WITH READ LOCK', 'SELECT SLEEP(3)', 'UNLOCK TABLES'],
        runs(lab, from, 'SELECT SLEEP'),
      ),
  },
  {
    name: 'a long ALTER TABLE runs',
    begin: (lab, { from }) =>
      busy(lab, from, ['ALTER TABLE shop.big FORCE, ALGORITHM=COPY'], runs(lab, from, 'ALTER TABLE')),
  },
  {
    name: 'an XA transaction is prepared',
    begin: async (lab, { from }) => {
      const statements = [
        "XA START 'x'",
        'INSERT INTO shop.disturbed VALUES ()',
        "XA END 'x'",
        "XA PREPARE 'x'",
      ]
      const connection = await lab.administer(from)
      try {
        for (const it of statements) await connection.query(it)
      } finally {
        await connection.end()
      }
      // Whoever is the primary has it, prepared.
      return { ...quiet, stop: async () => void (await sql(await lab.primary(), "XA ROLLBACK 'x'")) }
    },
  },
  {
    name: 'the target has a filter',
    refused: /leaves something out/,
    begin: (_lab, { to }) =>
      set(to, stopped(kind, kind.leaveOut('shop.orders')), stopped(kind, kind.leaveOut(undefined))),
  },
  {
    name: 'the target applies late on purpose',
    refused: /later on purpose/,
    begin: (_lab, { to }) => set(to, stopped(kind, kind.delay(5)), stopped(kind, kind.delay(0))),
  },
  ...(['to', 'third'] as const).map(
    (part): Disturber => ({
      name: `${part === 'to' ? 'the target' : 'the other replica'} was written to`,
      refused: /transactions that \S+ does not have/,
      begin: async (lab, roles) => {
        await sql(roles[part], kind.writeToReplica('CREATE DATABASE errant'))
        return { ...quiet, repair: () => forgetOwn(lab, roles[part], 'DROP DATABASE errant') }
      },
    }),
  ),
]
