import type { Observation } from '../../../src/components/manager/checkResult.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { addressOf } from '../../../src/components/manager/dataSources.ts'
import { openLastRuns } from '../../../src/components/manager/lastRuns.ts'
import { openStateStore } from '../../../src/components/manager/managerState.ts'
import { operate } from '../../../src/components/manager/operate.ts'
import type { Member } from '../../../src/components/manager/replicationGraph.ts'
import type { OutsideChange } from '../../../src/contracts/choices.ts'
import type { DataSourceOperation } from '../../../src/contracts/dataSourceOperations.ts'
import type { ServicesMap } from '../../../src/contracts/servicesMap.ts'
import { manualClock } from '../../support/manualClock.ts'
import { answered, channel, fakeMonitor, installed, place } from './support.ts'

export const names = ['db1', 'db2', 'db3'] as const
export type Name = (typeof names)[number]

const from = (name: Name) => ({ ...channel, source: place(name), sourceId: Number(name.slice(2)) })
export const follows = (name: Name, source: Name, more = {}): Observation =>
  answered({ serverId: Number(name.slice(2)), channels: [from(source)], ...more })
export const writes = (name: Name): Observation =>
  answered({ isWritable: true, serverId: Number(name.slice(2)) })
export const idle = (name: Name): Observation => answered({ serverId: Number(name.slice(2)) })

/** A member as its last check found it. */
export const memberOf = (name: Name, look: Observation, more: Partial<Member> = {}): Member => ({
  ...{ name, role: 'replica', state: 'ONLINE', failures: 0 },
  ...place(name),
  look,
  known: look.kind === 'answered' ? look.reading : null,
  ...more,
})

type Line = { readonly level: string; readonly message: string; readonly facts: object }

/** A manager whose disk is a variable, and what it said. */
export function managed(
  more: {
    readonly map?: ServicesMap
    readonly onOutsideChange?: OutsideChange
    /** Data source on its own host; none unless given. */
    readonly own?: Name
  } = {},
) {
  const { map = installed, onOutsideChange = 'follow', own } = more
  let disk: string | undefined
  let isFull = false
  const lines: Line[] = []
  const line = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, message, facts })
  const file = {
    read: () => (disk === undefined ? undefined : JSON.parse(disk)),
    write: (value: unknown) => {
      if (isFull) throw new Error('full')
      disk = JSON.stringify(value)
    },
  }
  let runs: unknown
  const kept = {
    read: () => runs,
    write: (value: unknown) => {
      runs = value
    },
  }
  const monitor = fakeMonitor()
  const clock = manualClock()
  const { now, after } = clock
  let changes = 0
  const open = (mapped: ServicesMap) => {
    const opened = createManager({
      installed: mapped,
      kept: openStateStore({ file, path: '/state', installed: mapped, now: now() }),
      monitor: monitor.open,
      now,
      after,
      log: { info: line('info'), warn: line('warn'), error: line('error') },
      onOutsideChange,
      ...(own && {
        own: {
          addresses: new Set([addressOf({ service: 'alpha', name: own, ...place(own) })]),
          runs: openLastRuns(kept),
        },
      }),
    })
    opened.onRoutingChange(() => {
      changes += 1
    })
    return opened
  }
  let manager = open(map)
  const see = async (name: Name, found: Observation, times = 1): Promise<void> => {
    monitor.set(place(name), found)
    await monitor.tick(place(name), times)
  }
  return {
    manager: () => manager,
    clock,
    lines,
    set: (name: Name, found: Observation | Promise<Observation>) => monitor.set(place(name), found),
    see,
    /** A primary and two replicas, all looked at. */
    agree: async () => {
      await see('db1', writes('db1'))
      for (const name of ['db2', 'db3'] as const) await see(name, follows(name, 'db1'))
    },
    restart: (mapped = map) => {
      manager.close()
      manager = open(mapped)
    },
    full: (is: boolean) => {
      isFull = is
    },
    onDisk: () => JSON.parse(disk ?? '{}'),
    changes: () => changes,
    writer: () => manager.writer('alpha'),
    /** Lets time pass, and what is due then. */
    pass: async (milliseconds: number) => {
      clock.advance(milliseconds)
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Number of checks that were asked for. */
    asked: monitor.asked,
    state: (name: Name) => manager.view({ service: 'alpha', name }).state,
    finding: (name: Name) => manager.assessment({ service: 'alpha', name }).finding,
    operate: (operation: DataSourceOperation, name: Name) =>
      operate({ manager, operation, by: 'admin', audit: () => undefined }, { service: 'alpha', name }),
  }
}

export const rolesTo = (primary: Name): ServicesMap => ({
  services: [
    {
      name: 'alpha',
      datasources: names.map((name) => ({
        name,
        ...place(name),
        role: name === primary ? ('primary' as const) : ('replica' as const),
      })),
    },
  ],
})
