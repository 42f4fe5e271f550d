import { describe, expect, it } from 'vitest'
import type { RunRecord, UnfinishedRun } from '../../../src/deployment/runs/runRecord.ts'
import { locksText } from '../../../src/output/deployment/locks.ts'
import { runsText, runText } from '../../../src/output/deployment/runs.ts'

const plain = { colour: false, width: Number.POSITIVE_INFINITY }

const first: RunRecord = {
  id: '20260102T030405Z-1a2b3c',
  operation: 'install',
  cluster: 'alpha',
  user: 'ann',
  machine: 'desk',
  pid: 42,
  version: '1.2.3',
  started: '2026-01-02T03:04:05.000Z',
  seconds: 12.34,
  targets: ['db1', 'db2'],
  hosts: [
    {
      host: 'db1',
      result: 'changed',
      applied: ['write settings', 'restart manager'],
      proved: 'logins verified',
      seconds: { commit: 1.25 },
    },
    {
      host: 'db2',
      result: 'failed',
      applied: [],
      failure: { code: 'step-failed', message: 'no room', fix: 'Make room.' },
      seconds: {},
    },
  ],
  exit: 1,
}
const second: RunRecord = {
  ...first,
  id: '20260103T030405Z-000000',
  operation: 'stop',
  seconds: 0.5,
  hosts: [],
  exit: 130,
}

const { seconds: _, hosts: __, exit: ___, ...known } = first
const killed: UnfinishedRun = { ...known, id: '20260104T030405Z-ffffff' }

describe('the text of recorded runs', () => {
  it('marks a run that has not ended', () => {
    expect(runsText([first, killed], plain)).toBe(
      `RUN                      COMMAND  BY        TOOK    EXIT  HOSTS
20260104T030405Z-ffffff  install  ann@desk  -       -     has not ended
20260102T030405Z-1a2b3c  install  ann@desk  12.3 s  1     1 changed, 1 failed
`,
    )
    expect(runText(killed, false)).toBe(`20260104T030405Z-ffffff  muster install of alpha, has not ended
  by ann on desk, process 42, muster 1.2.3
  at 2026-01-02T03:04:05.000Z
  for 2 hosts: db1, db2

It has not ended: it was killed, or is still running. Its changes are in deployment.jsonl on the hosts.
`)
  })

  it('is a table, newest first', () => {
    expect(runsText([first, second], plain)).toBe(
      `RUN                      COMMAND  BY        TOOK    EXIT  HOSTS
20260103T030405Z-000000  stop     ann@desk  0.5 s   130
20260102T030405Z-1a2b3c  install  ann@desk  12.3 s  1     1 changed, 1 failed
`,
    )
  })

  it('has a block for each run on a narrow terminal', () => {
    expect(runsText([first, killed], { colour: false, width: 60 })).toBe(`20260104T030405Z-ffffff
  COMMAND: install  BY: ann@desk  TOOK: -  EXIT: -
    HOSTS: has not ended
20260102T030405Z-1a2b3c
  COMMAND: install  BY: ann@desk  TOOK: 12.3 s  EXIT: 1
    HOSTS: 1 changed, 1 failed
`)
  })

  it('shows one run with all changes and failures', () => {
    expect(runText(first, false)).toBe(`20260102T030405Z-1a2b3c  muster install of alpha, exit code 1
  by ann on desk, process 42, muster 1.2.3
  at 2026-01-02T03:04:05.000Z, took 12.3 s
  for 2 hosts: db1, db2

changed on db1:
  write settings
  restart manager

error db2: no room [step-failed]
  fix: Make room.

db1  done: 2 changes, logins verified (commit 1.3 s)
db2  failed
`)
  })
})

describe('the text of locks', () => {
  it('has one line per host, and one per run in the state directory', () => {
    const { id, operation, cluster, user, machine, pid } = first
    const owner = { id, operation, cluster, user, machine, pid }
    const since = '2026-01-02T03:04:05Z'
    const run = { id: '', pid: 42, machine: 'desk', since }
    expect(
      locksText(
        {
          hosts: [
            { host: 'db1', state: 'free' },
            { host: 'db10', state: 'held', lock: { owner, since, idle: 3 } },
            { host: 'db2', state: 'held', lock: { owner: undefined, since, idle: 300 } },
            {
              host: 'db3',
              state: 'unreachable',
              failure: { code: 'timeout', message: 'no answer', fix: '' },
            },
          ],
          state: [
            { ...run, operation: 'install', hosts: ['db10', 'db3'] },
            { ...run, operation: 'state export', machine: 'desk\u001b[2J', hosts: 'all' },
          ],
        },
        { colour: false },
      ),
    ).toBe(`db1   free
db10  held by \`muster install\` of ann on desk (run 20260102T030405Z-1a2b3c, process 42), since 2026-01-02T03:04:05Z, last heartbeat 3 s ago
db2   held by an unknown user, since 2026-01-02T03:04:05Z, last heartbeat 300 s ago
db3   unreachable: no answer
state directory  held for db10 and db3 by \`muster install\`, process 42 on desk, since 2026-01-02T03:04:05Z
state directory  held for all hosts by \`muster state export\`, process 42 on desk\\x1b[2J, since 2026-01-02T03:04:05Z
`)
  })

  it('merges many free locks, and lists the others separately', () => {
    const free = Array.from(
      { length: 50 },
      (_, index) => ({ host: `db${index + 1}`, state: 'free' }) as const,
    )
    expect(locksText({ hosts: free, state: [] }, { colour: false })).toBe('all 50 hosts  free\n')
    const failure = { code: 'timeout', message: 'db51 did not answer', fix: '' } as const
    const lost = { host: 'db51', state: 'unreachable', failure } as const
    expect(locksText({ hosts: [...free, lost], state: [] }, { colour: false, width: 60 })).toBe(
      `50 hosts  free
          db1, db2, db3, db4, db5, db6, db7, db8, db9, db10,
          db11, db12 and 38 more
db51      unreachable: did not answer
`,
    )
  })
})
