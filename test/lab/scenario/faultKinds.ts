import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { createRandom, type Random } from '../../simulation/random.ts'
import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'
import { processOf } from './hostProcesses.ts'
import { must } from './onHost.ts'
import type { ServerKind } from './serverKind.ts'
import type { SwitchCluster } from './switchCluster.ts'

/** Something that goes wrong at one host, and what ends it. */
export type FaultKind = {
  readonly name: string
  readonly weight: number
  /** `others` are the other hosts of the cluster. */
  readonly strike: (at: LabHost, others: readonly LabHost[]) => Promise<unknown>
  readonly repair: (at: LabHost, others: readonly LabHost[]) => Promise<unknown>
}

/** A fault of a seed. */
export type DrawnFault = {
  readonly kind: FaultKind
  readonly role: 'primary' | 'replica'
  /** Number of the replica, where it is one. */
  readonly replica: number
  /** Milliseconds since the beginning of the load or of the fault before. */
  readonly delay: number
  /** Milliseconds until it is repaired. */
  readonly duration: number
}

const manager = 'muster-alpha-manager'

const signal = (unit: string, name: string) => (at: LabHost) => must(at, `systemctl kill -s ${name} ${unit}`)

/** Loses silently what goes from one host to another; what comes back arrives. */
export const loseTo = (from: LabHost, to: LabHost): Promise<unknown> =>
  must(from, `ip neigh replace ${to.address} lladdr 02:00:00:00:00:00 dev host0 nud permanent`)

/** Ends `loseTo`; a host that was booted since has lost it. */
export const reach = (from: LabHost, to: LabHost): Promise<unknown> =>
  from.run(`ip neigh del ${to.address} dev host0`)

/**
 * Loses what replicas of a primary say over the connections that they have now, and nothing that it sends; returns the way to end
 * that.
 */
export async function loseAcks(lab: SwitchCluster, primary: LabHost): Promise<() => Promise<void>> {
  const dumps = await lab.ask(
    primary,
    "SELECT HOST AS it FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'",
  )
  const ports = dumps.map(({ it }) => Number(String(it).split(':')[1]))
  const others = lab.members.filter((it) => it !== primary)
  expect(ports).toHaveLength(others.length)
  const change = async (what: 'add' | 'del'): Promise<void> => {
    const rules = ports.map(
      (port) => `ip rule ${what} pref 78 to ${primary.address} ipproto 6 sport ${port} unreachable`,
    )
    for (const it of others) await must(it, rules.join('; '))
  }
  await change('add')
  return () => change('del')
}

const each = (hosts: readonly LabHost[], act: (host: LabHost) => Promise<unknown>): Promise<unknown> =>
  Promise.all(hosts.map(act))

/** Folder of the data, which is a disk of its own. */
export const dataFolder = '/var/lib/mysql'

const filler = `${dataFolder}/filler`

/** Returns the faults of hosts with servers of a kind. */
export function faultKinds({ unit, program }: ServerKind): readonly FaultKind[] {
  const startServer = (at: LabHost): Promise<unknown> =>
    must(at, `systemctl reset-failed ${unit}; systemctl start ${unit}`)
  const startManager = (at: LabHost): Promise<unknown> =>
    must(at, `systemctl reset-failed ${manager}; systemctl start ${manager}`)
  // Read after the file by which the lab keeps the unit from that, since its name comes later.
  const restarts = `/run/systemd/system/${unit}.service.d/restarts.conf`
  const killServer = async (at: LabHost): Promise<unknown> => process.kill(processOf(at, program), 'SIGKILL')
  const boot = async (at: LabHost): Promise<unknown> => {
    await at.boot()
    return startServer(at)
  }
  const relink = (at: LabHost, others: readonly LabHost[]): Promise<unknown> =>
    each(others, (it) => Promise.all([reach(at, it), reach(it, at)]))
  return [
    { name: 'the server is killed', weight: 3, strike: killServer, repair: startServer },
    {
      name: 'the server is killed, and its unit starts it',
      weight: 3,
      strike: async (at) => {
        await must(
          at,
          `mkdir -p $(dirname ${restarts}); printf '[Service]\\nRestart=on-abnormal\\nRestartSec=1\\n' > ${restarts}; systemctl daemon-reload`,
        )
        return killServer(at)
      },
      repair: async (at) => {
        await must(at, `rm -f ${restarts}; systemctl daemon-reload`)
        return startServer(at)
      },
    },
    {
      name: 'the server is restarted properly',
      weight: 2,
      strike: (at) => must(at, `systemctl restart --no-block ${unit}`),
      repair: startServer,
    },
    {
      name: 'the server hangs',
      weight: 4,
      strike: async (at) => process.kill(processOf(at, program), 'SIGSTOP'),
      repair: async (at) => {
        // Its manager may have had it killed meanwhile.
        await at.run(`systemctl kill -s SIGCONT ${unit}`)
        return startServer(at)
      },
    },
    { name: 'the manager is killed', weight: 2, strike: signal(manager, 'SIGKILL'), repair: startManager },
    {
      name: 'the manager is stopped',
      weight: 1,
      strike: (at) => must(at, `systemctl stop ${manager}`),
      repair: startManager,
    },
    {
      name: 'the manager hangs',
      weight: 2,
      strike: signal(manager, 'SIGSTOP'),
      repair: signal(manager, 'SIGCONT'),
    },
    {
      name: 'the host is cut off',
      weight: 3,
      strike: (at) => at.unplug(),
      repair: (at) => at.plugIn(),
    },
    {
      name: 'the host is cut off from the others, and not from its clients',
      weight: 3,
      strike: (at, others) => each(others, (it) => Promise.all([loseTo(at, it), loseTo(it, at)])),
      repair: relink,
    },
    {
      name: 'the host reaches none of the others',
      weight: 2,
      strike: (at, others) => each(others, (it) => loseTo(at, it)),
      repair: relink,
    },
    {
      name: 'none of the others reaches the host',
      weight: 2,
      strike: (at, others) => each(others, (it) => loseTo(it, at)),
      repair: relink,
    },
    {
      name: 'the link to one other host is cut',
      weight: 2,
      strike: (at, others) => each(others.slice(0, 1), (it) => Promise.all([loseTo(at, it), loseTo(it, at)])),
      repair: relink,
    },
    {
      name: 'the link to one other host is cut one way',
      weight: 2,
      strike: (at, others) => each(others.slice(0, 1), (it) => loseTo(at, it)),
      repair: relink,
    },
    { name: 'the power cord is pulled', weight: 3, strike: (at) => at.kill(), repair: boot },
    {
      name: 'the host is shut down properly',
      weight: 2,
      strike: async (at) => {
        const init = at.root()
        await at.run('systemctl poweroff --no-block')
        await eventually(`the end of ${at.name}`, () => !existsSync(dirname(init)), { timeout: 120_000 })
        await at.kill()
      },
      repair: boot,
    },
    {
      name: 'the disk of the data is full',
      weight: 2,
      // The last bytes one by one: the server takes some of them.
      strike: (at) =>
        must(
          at,
          `fallocate -l $(($(df --output=avail -B1 ${dataFolder} | tail -n 1) - 33554432)) ${filler}; cat /dev/zero >> ${filler} 2>/dev/null || true`,
        ),
      repair: async (at) => {
        await must(at, `rm -f ${filler}`)
        return startServer(at)
      },
    },
  ]
}

const pick = (random: Random, kinds: readonly FaultKind[]): FaultKind => {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0)
  let at = random.number() * total
  for (const it of kinds) {
    at -= it.weight
    if (at < 0) return it
  }
  return random.of(kinds)
}

/** Draws the fault of a seed, and with one in ten a second one that comes meanwhile. */
export function drawFaults(seed: number, kinds: readonly FaultKind[]): readonly DrawnFault[] {
  const random = createRandom(seed)
  const draw = (delay: number): DrawnFault => ({
    kind: pick(random, kinds),
    role: random.isChance(0.6) ? 'primary' : 'replica',
    replica: random.whole(0, 1),
    delay,
    duration: random.of([
      random.between(200, 2000),
      random.between(2000, 6000),
      random.between(5000, 12_000),
    ]),
  })
  const first = draw(random.between(0, 1500))
  return random.isChance(0.1) ? [first, draw(random.between(100, 4000))] : [first]
}
