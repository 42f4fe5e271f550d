import type { DatabaseType } from '../../src/contracts/choices.ts'
import type { ServicesMap } from '../../src/contracts/servicesMap.ts'
import { createNetwork } from './network.ts'
import { createRandom } from './random.ts'
import { createSimulatedManager, type SimulatedManager, service } from './simulatedManager.ts'
import { createSimulatedServer, gtidOf, type SimulatedServer, type Transaction } from './simulatedServer.ts'
import { createVirtualTime, withTimersOf } from './virtualTime.ts'

/** Milliseconds: all is well first, then faults begin, then each is over, and the cluster gets time to come back. */
const phases = { calm: 5000, faults: 40_000, recovery: 90_000 } as const

/** Milliseconds within which a cluster that is whole acknowledges a commit. */
const progressLimit = 5000

/** Milliseconds between two writes of the client of a host. */
const writePause = { least: 50, most: 250 } as const

/** Milliseconds for which a primary is given the benefit of the doubt: one that refuses connections, and one that is silent. */
const patience = { refused: 300, silent: 2000 } as const

/** Result of one run. */
export type Outcome = {
  readonly seed: number
  /** Promises that were broken; none in a run that is well. */
  readonly violations: readonly string[]
  /** Name of the primary in the end, for all managers; null where they have none, or not the same. */
  readonly primary: string | null
  /** Why the cluster is not whole in the end, as its managers say; none where it is. */
  readonly reasons: readonly string[]
  readonly steps: number
  /** Commits that were acknowledged once a replica had them, and others. */
  readonly acknowledged: number
  readonly unprotected: number
  readonly failovers: number
  readonly switches: number
  readonly crashes: number
  readonly story: readonly string[]
}

type World = {
  readonly names: readonly string[]
  readonly servers: ReadonlyMap<string, SimulatedServer>
  readonly managers: ReadonlyMap<string, SimulatedManager>
}

/** Runs one cluster with the faults of a seed. */
export async function simulate(seed: number, kind: DatabaseType = 'mariadb'): Promise<Outcome> {
  const random = createRandom(seed)
  /** Says when connections over links that are cut end. */
  const ends = createRandom(seed + 0x40_00_00_00)
  /** Says what fails in the middle of switches and failovers; in half of the runs nothing does on purpose. */
  const moments = createRandom(seed + 0x20_00_00_00)
  const isPrecise = moments.isChance(0.5)
  const time = createVirtualTime()
  const network = createNetwork({ time, random })
  const clients = ends.of([1, 2, 5])
  const names = ['db1', 'db2', 'db3', 'db4', 'db5'].slice(0, random.of([2, 3, 3, 3, 4, 5]))
  const story: string[] = []
  const violations: string[] = []
  const counts = { failovers: 0, switches: 0, crashes: 0 }
  /** Begins of faults. What a failover has to wait for is certain only while there was one. */
  const begins: { readonly at: number; readonly words: string }[] = []
  const tell = (words: string): void => {
    story.push(`${(time.now() / 1000).toFixed(3).padStart(8)} ${words}`)
    if (words.startsWith('FAULT')) begins.push({ at: time.now(), words })
    if (/ (warn|info): replaces the lost primary/.test(words)) {
      counts.failovers += 1
      const [only, ...others] = begins
      const isSeen = only && /kill the server|properly|no power/.test(only.words)
      const least = isSeen ? patience.refused : patience.silent
      if (!only || (others.length === 0 && time.now() - only.at < least))
        violate('a primary is replaced before it was away for long')
    }
    if (words.includes('info: switches the primary')) counts.switches += 1
  }
  const violate = (words: string): void => {
    tell(`BROKEN: ${words}`)
    violations.push(words)
  }

  const map: ServicesMap = {
    services: [
      {
        name: service,
        datasources: names.map((name, index) => ({
          ...{ name, host: name, port: 3306 },
          role: index === 0 ? 'primary' : 'replica',
        })),
      },
    ],
  }
  const after = (milliseconds: number, work: () => void): void => void time.after(milliseconds, work, null)
  const dark = new Set<string>()
  const isOn = (host: string): boolean => !dark.has(host)

  // --- Ledger of acknowledged transactions. Each server that acknowledges one more has all before; and the word of a replica may
  // come late to a former primary, but not for anything that the new one does not have.
  const ledger: Transaction[] = []
  let last: { readonly its: SimulatedServer; readonly transaction: Transaction } | undefined
  let unprotected = 0
  let acknowledgedAt = 0
  function acknowledged(its: SimulatedServer, transaction: Transaction, isProtected: boolean): void {
    acknowledgedAt = time.now()
    // A source that waits for nobody acknowledges alone, and a crash may cost it that.
    if (!isProtected) {
      unprotected += 1
      return
    }
    ledger.push(transaction)
    if (!last || its.has(last.transaction)) last = { its, transaction }
    else if (!last.its.has(transaction)) {
      const before = `${gtidOf(last.transaction)}, which ${last.its.name} acknowledged`
      violate(`${its.name} acknowledges ${gtidOf(transaction)} and does not have ${before}`)
    }
  }

  /** A server that becomes writable has all that was acknowledged, and no other one is acknowledged to any more. */
  function promoted(its: SimulatedServer): void {
    const missing = ledger.filter((it) => !its.has(it) && !gone.has(it))
    const [one] = missing
    if (one) violate(`${its.name} becomes writable and lacks ${missing.length}, as ${gtidOf(one)}`)
    for (const other of servers.values()) {
      const source = other.acknowledgesTo()
      if (source && source !== its && source.mayBeWritten())
        violate(`${its.name} becomes writable while ${other.name} acknowledges to ${source.name}`)
    }
  }

  /** Transactions that a crash took while no other server had them any more: nobody promises those. */
  const gone = new Set<Transaction>()
  function lost(transactions: readonly Transaction[]): void {
    for (const it of transactions) {
      const isKept = [...servers.values()].some((its) => its.has(it) || its.hasReceived(it))
      if (!isKept) gone.add(it)
    }
    if (last && gone.has(last.transaction)) last = undefined
  }

  const managers = new Map<string, SimulatedManager>()
  const servers = new Map<string, SimulatedServer>()
  const server = (host: string): SimulatedServer => {
    const found = servers.get(host)
    if (!found) throw new Error(`no ${host}`)
    return found
  }
  for (const [index, name] of names.entries()) {
    servers.set(
      name,
      createSimulatedServer({
        ...{ id: index + 1, name, kind, clients, time, random, network, server },
        ...{ acknowledged, promoted, lost, tell },
        clockError: () => managers.get(name)?.clockError() ?? 0,
      }),
    )
  }
  for (const host of names) {
    managers.set(
      host,
      createSimulatedManager({
        ...{ host, map, time, random, network, isOn, server, tell },
        changes,
        others: () => [...managers.values()].filter((it) => it.host !== host),
        crash: () => {
          counts.crashes += 1
          const kept = managers.get(host)?.kept()
          managers.get(host)?.kill()
          after(random.between(100, 2000), () => {
            server(host).crash(0, { isTold: true, ...(kept && { kept }) })
            server(host).start()
            startManager(host)
          })
        },
      }),
    )
  }

  // --- Begin: the first one is the primary, all others follow it.
  const [first = ''] = names
  server(first).begin()
  for (const name of names.slice(1)) server(name).follow(first)
  for (const it of managers.values()) it.start()
  for (const name of names) {
    const write = (): void => {
      if (isOn(name)) server(name).write()
      after(random.between(writePause.least, writePause.most), write)
    }
    write()
  }

  // --- Faults.
  const world: World = { names, servers, managers }
  const heals = new Set<() => void>()
  /** Ends a fault after a while, or with all others. */
  function heal(milliseconds: number, work: () => void): void {
    const once = (): void => {
      if (heals.delete(once)) work()
    }
    heals.add(once)
    after(milliseconds, once)
  }

  function startServer(name: string): void {
    if (!isOn(name) || server(name).isUp()) return
    tell(`${name} starts`)
    server(name).start()
  }

  function startManager(host: string): void {
    if (isOn(host)) managers.get(host)?.start()
  }

  function cut(from: string, to: string): void {
    network.cut(from, to)
    const its = server(to)
    const at = its.run()
    // Where the system knows no way any more, it ends a connection in seconds, else the receiver does in a minute.
    after(ends.isChance(0.5) ? ends.between(500, 8000) : 60_000, () => {
      if (its.run() === at && its.follows() === from && !network.isWhole(from, to)) its.giveUp()
    })
  }
  function repairLinks(): void {
    for (const from of names) for (const to of names) if (from !== to) network.repair(from, to)
  }

  const faults: readonly { readonly weight: number; readonly act: (name?: string) => void }[] = [
    { weight: 6, act: killServer },
    { weight: 2, act: stopServer },
    { weight: 4, act: hangServer },
    { weight: 3, act: killManager },
    { weight: 3, act: pauseManager },
    { weight: 3, act: powerCord },
    { weight: 4, act: isolate },
    { weight: 3, act: () => cutLink() },
    { weight: 2, act: slowLink },
    { weight: 2, act: loseWords },
    { weight: 2, act: slowApplier },
    { weight: 1, act: fullDisk },
    { weight: 1, act: clockJump },
    { weight: 3, act: orderSwitch },
  ]
  const isFaultTime = (): boolean => time.now() >= phases.calm && time.now() <= phases.calm + phases.faults
  const total = faults.reduce((sum, { weight }) => sum + weight, 0)

  /** A change of a server is the moment that counts: about one of them in a switch or a failover meets a fault. */
  function changes(host: string, to: string): void {
    if (!isPrecise || heals.size > 4 || !isFaultTime() || !moments.isChance(0.15)) return
    const name = moments.of([host, to])
    const link = (): void => cutLink(host, to)
    const acts = [killServer, killServer, hangServer, isolate, link, powerCord, killManager, pauseManager]
    const act = moments.of(acts)
    after(moments.between(0, 10), () => act(name))
  }

  /** More often the primary than another one: that is where it hurts. */
  function victim(): string {
    const primary = names.find((name) => server(name).isWritable())
    return primary !== undefined && random.isChance(0.6) ? primary : random.of(names)
  }
  const duration = (): number =>
    random.of([random.between(200, 2000), random.between(2000, 15_000), random.between(10_000, 40_000)])

  function killServer(name = victim()): void {
    const down = duration()
    tell(`FAULT kill the server of ${name}, for ${Math.round(down)} ms`)
    server(name).crash(random.of([0, 0, 1, 2]))
    heal(down, () => startServer(name))
  }
  function stopServer(name = victim()): void {
    const down = duration()
    tell(`FAULT stop the server of ${name} properly, for ${Math.round(down)} ms`)
    server(name).stop()
    heal(down, () => startServer(name))
  }
  function hangServer(name = victim()): void {
    const down = duration()
    tell(`FAULT the server of ${name} hangs, for ${Math.round(down)} ms`)
    server(name).hang()
    heal(down, () => {
      tell(`${name} goes on`)
      server(name).goOn()
    })
  }
  function killManager(name = random.of(names)): void {
    const down = random.between(100, 5000)
    tell(`FAULT kill the manager of ${name}, for ${Math.round(down)} ms`)
    managers.get(name)?.kill()
    heal(down, () => startManager(name))
  }
  function pauseManager(name = random.of(names)): void {
    const down = duration()
    tell(`FAULT the manager of ${name} hangs, for ${Math.round(down)} ms`)
    managers.get(name)?.pause()
    heal(down, () => managers.get(name)?.resume())
  }
  function powerCord(name = victim()): void {
    const down = duration()
    tell(`FAULT no power for ${name}, for ${Math.round(down)} ms`)
    dark.add(name)
    managers.get(name)?.kill({ isTold: false })
    server(name).crash(random.of([0, 1, 2, 3]), { isTold: false })
    heal(down, () => {
      if (!dark.delete(name)) return
      tell(`${name} has power again`)
      after(random.between(500, 3000), () => startServer(name))
      after(random.between(500, 3000), () => startManager(name))
    })
  }
  function isolate(name = victim()): void {
    const down = duration()
    tell(`FAULT ${name} is cut off, for ${Math.round(down)} ms`)
    for (const other of names) {
      if (other === name) continue
      cut(name, other)
      cut(other, name)
    }
    heal(down, () => {
      tell(`${name} is linked again`)
      repairLinks()
    })
  }
  function cutLink(from = random.of(names), to = random.of(names)): void {
    if (from === to) return
    const isOneWay = random.isChance(0.4)
    const down = duration()
    tell(
      `FAULT the link from ${from} to ${to} is cut${isOneWay ? '' : ' both ways'}, for ${Math.round(down)} ms`,
    )
    cut(from, to)
    if (!isOneWay) cut(to, from)
    heal(down, () => {
      tell(`the link from ${from} to ${to} is whole again`)
      network.repair(from, to)
      network.repair(to, from)
    })
  }
  function slowLink(): void {
    const [from, to] = [random.of(names), random.of(names)]
    if (from === to) return
    const by = random.between(20, 1500)
    tell(`FAULT the link from ${from} to ${to} is slow by ${Math.round(by)} ms`)
    network.slow(from, to, by)
    heal(duration(), () => network.slow(from, to, 0))
  }
  /** Loses for a moment what the replicas of a source say, and ends their connections: they have what it sent. */
  function loseWords(): void {
    const source = names.find((name) => server(name).isWritable())
    if (source === undefined) return
    tell(`FAULT the words of the replicas of ${source} are lost`)
    const replicas = names.filter((name) => server(name).follows() === source)
    for (const it of replicas) network.cut(it, source)
    heal(ends.between(50, 1000), () => {
      for (const it of replicas) {
        server(it).giveUp()
        network.repair(it, source)
      }
    })
  }
  function slowApplier(): void {
    const name = random.of(names)
    const by = random.between(50, 1000)
    tell(`FAULT ${name} applies slowly, ${Math.round(by)} ms each`)
    server(name).setApplyDelay(by)
    heal(duration(), () => server(name).setApplyDelay(1))
  }
  function fullDisk(): void {
    const name = random.of(names)
    tell(`FAULT the disk of the manager of ${name} is full`)
    managers.get(name)?.fillDisk(true)
    heal(duration(), () => managers.get(name)?.fillDisk(false))
  }
  function clockJump(): void {
    const name = random.of(names)
    const by = random.of([-3_600_000, -10_000, 10_000, 3_600_000])
    tell(`FAULT the clock of ${name} jumps by ${by} ms`)
    managers.get(name)?.setClock(by)
    heal(duration(), () => managers.get(name)?.setClock(0))
  }
  function orderSwitch(): void {
    const its = managers.get(random.of(names))?.running()
    if (!its || its.process.isPaused) return
    const to = random.isChance(0.5) ? undefined : random.of(names)
    tell(`ORDER switch${to === undefined ? '' : ` to ${to}`}`)
    time.as(its.process, () => {
      its.switcher
        .start({ operation: 'switch', service, to, id: undefined, accepted: new Set(), by: 'admin' })
        .catch((error: unknown) =>
          tell(`the switch is refused: ${error instanceof Error ? error.message : error}`),
        )
    })
  }

  function fault(): void {
    if (!isFaultTime()) return
    let at = random.number() * total
    for (const { weight, act } of faults) {
      at -= weight
      if (at > 0) continue
      act()
      break
    }
    after(
      random.of([random.between(100, 1000), random.between(1000, 8000), random.between(5000, 20_000)]),
      fault,
    )
  }
  after(phases.calm, fault)
  after(phases.calm + phases.faults, () => {
    tell('all faults end')
    for (const work of [...heals]) work()
    heals.clear()
    repairLinks()
  })

  const end = phases.calm + phases.faults + phases.recovery
  await withTimersOf(time, () => time.run(end))
  const { primary, reasons } = judge(world)
  if (primary !== null && acknowledgedAt < end - progressLimit)
    reasons.push(`${primary} has acknowledged nothing for ${Math.round((end - acknowledgedAt) / 1000)} s`)
  if (primary !== null) {
    const its = server(primary)
    const missing = ledger.filter((it) => !its.has(it) && !gone.has(it))
    if (missing.length > 0)
      violate(
        `${primary} is the primary in the end and lacks ${missing.map(gtidOf).slice(0, 5).join(', ')}, which were acknowledged (${missing.length})`,
      )
  }
  return {
    ...{ seed, violations, primary, reasons, story },
    ...counts,
    steps: time.steps(),
    acknowledged: ledger.length,
    unprotected,
  }
}

/** Tells what the cluster has become, by the words of its managers. */
function judge({ names, managers, servers }: World): { primary: string | null; reasons: string[] } {
  const reasons = new Set<string>()
  const writers = names.map((host) => managers.get(host)?.running()?.manager.writer(service))
  const [first] = writers
  const isAgreed = writers.every((it) => it !== undefined && it.datasource === first?.datasource)
  const primary = isAgreed ? (first?.datasource ?? null) : null
  for (const [index, it] of writers.entries()) {
    if (it?.datasource == null)
      reasons.add(`${names[index]} has no writer: ${it?.reason ?? 'its manager is not there'}`)
  }
  if (!isAgreed) reasons.add(`managers disagree: ${writers.map((it) => it?.datasource ?? 'none').join(', ')}`)
  if (primary !== null && !servers.get(primary)?.isWritable()) reasons.add(`${primary} cannot be written`)
  const manager = managers.get(primary ?? names[0] ?? '')?.running()?.manager
  for (const name of names) {
    if (name === primary || !manager) continue
    const { finding } = manager.assessment({ service, name })
    const { state } = manager.view({ service, name })
    if (state !== 'ONLINE' || finding?.result !== 'passed')
      reasons.add(`${name} is ${state}: ${finding?.reason ?? 'passed'}`)
  }
  return { primary, reasons: [...reasons] }
}
