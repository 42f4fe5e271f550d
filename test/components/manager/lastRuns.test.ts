import { expect, it } from 'vitest'
import { openLastRuns } from '../../../src/components/manager/lastRuns.ts'

const source = { service: 'alpha', name: 'db1', host: '10.0.0.1', port: 3306, role: 'primary' } as const
const run = { startedAt: 1_000_000, wasWriter: true, wasSemiSyncSource: false }

/** A file that is a variable. */
function disk(content?: unknown) {
  let kept = content
  let writes = 0
  return {
    file: {
      read: () => kept,
      write: (value: unknown) => {
        kept = JSON.parse(JSON.stringify(value))
        writes += 1
      },
    },
    writes: () => writes,
  }
}

it('openLastRuns records another run of a server, and no second time what differs by the rounding of its uptime', () => {
  const { file, writes } = disk()
  const runs = openLastRuns(file)
  expect(runs.of(source)).toBeUndefined()
  runs.note(source, run)
  runs.note(source, { ...run, startedAt: run.startedAt + 1500 })
  expect(writes()).toBe(1)
  for (const more of [
    { startedAt: run.startedAt + 9000 },
    { wasWriter: false },
    { wasSemiSyncSource: true },
    { wasCrashed: true as const },
    { gaveWay: true as const },
    { wasCrashed: true as const, kept: '81d42a08-ecc3-11f1-b4f9-de3aeca611d2:1-7' },
  ]) {
    runs.note(source, { ...run, ...more })
    expect(openLastRuns(file).of(source)).toMatchObject(more)
  }
  expect(writes()).toBe(7)
})

it('openLastRuns knows nothing of a server that has moved to another address', () => {
  const runs = openLastRuns(disk().file)
  runs.note(source, run)
  expect(runs.of({ ...source, port: 3307 })).toBeUndefined()
})

it.each([
  ['has another version', { version: 2, runs: [] }],
  ['has a run without a start', { version: 1, runs: [{ ...source, wasWriter: true }] }],
  ['is no object', 'text'],
])('openLastRuns takes a file that %s for an empty one', (_, content) => {
  expect(openLastRuns(disk(content).file).of(source)).toBeUndefined()
})

it('openLastRuns takes a file that cannot be read for an empty one, and a write that fails changes nothing', () => {
  const refuse = (): never => {
    throw new Error('the disk refuses that')
  }
  const runs = openLastRuns({ read: refuse, write: refuse })
  expect(() => runs.note(source, run)).toThrow('the disk refuses that')
  expect(runs.of(source)).toBeUndefined()
})
