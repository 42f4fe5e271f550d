import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../../src/deployment/events.ts'
import { changesText, summaryText } from '../../../src/output/deployment/summary.ts'

const failure = { code: 'failed', message: 'it broke', fix: 'mend it' } as const
const outcomes: readonly HostOutcome[] = [
  {
    host: 'db1',
    result: 'changed',
    applied: ['write settings', 'restart manager'],
    proved: 'logins verified',
    seconds: { stage: 0.01, commit: 1.25, verify: 0.31 },
  },
  { host: 'db20', result: 'changed', applied: ['stop manager'], seconds: { commit: 0.1 } },
  { host: 'db3', result: 'unchanged', applied: [], proved: 'every API answers', seconds: { verify: 0.04 } },
  {
    host: 'db4',
    result: 'failed',
    applied: ['write settings'],
    failure,
    seconds: { commit: 2, verify: 20.4 },
  },
  {
    host: 'db4b',
    result: 'failed',
    applied: ['send the runtime', 'send release 2', 'write settings'],
    staged: 2,
    failure,
    undone: true,
    seconds: {},
  },
  { host: 'db4c', result: 'failed', applied: [], failure, undone: true, seconds: {} },
  { host: 'db5', result: 'unreachable', applied: ['send the runtime'], staged: 1, failure, seconds: {} },
  {
    host: 'db5b',
    result: 'stopped',
    applied: ['write settings'],
    left: ['switch to release 2', 'the proof'],
    seconds: {},
  },
  {
    host: 'db6',
    result: 'not-started',
    applied: ['send the runtime'],
    staged: 1,
    seconds: { stage: 0.2 },
    reason: 'db5 could not be prepared',
  },
  { host: 'db7', result: 'not-started', applied: [], seconds: {}, reason: 'the canary db4 failed' },
]

describe('summaryText', () => {
  it('shows for each host the staged, committed and rolled back changes, and the durations', () => {
    expect(summaryText(outcomes, { colour: false })).toBe(
      `db1   done: 2 changes, logins verified (commit 1.3 s, verify 0.3 s)
db20  done: 1 change (commit 0.1 s)
db3   nothing to do, every API answers
db4   failed: 1 change committed (commit 2.0 s, verify 20.4 s)
db4b  failed: 2 changes staged, 1 change committed and rolled back
db4c  failed: the failed change was rolled back
db5   unreachable: 1 change staged
db5b  stopped: 1 change committed, left: switch to release 2, the proof
db6   not started: db5 could not be prepared, 1 change staged, none committed (stage 0.2 s)
db7   not started: the canary db4 failed
`,
    )
  })

  it('is green, yellow or red by the result', () => {
    const lines = summaryText(outcomes, { colour: true }).split('\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves.
    const tints = lines.slice(0, -1).map((line) => /\u001b\[3(\d)m/.exec(line)?.[1])
    expect(tints).toEqual(['2', '2', '2', '1', '1', '1', '1', '3', '3', '3'])
  })

  it('merges many hosts with the same result, and has a line for each failed one', () => {
    const many = Array.from({ length: 40 }, (_, index): HostOutcome => {
      const host = `db${index + 1}`
      if (index === 6) return { host, result: 'failed', applied: [], failure, seconds: { commit: 1 } }
      if (index > 30) {
        return { host, result: 'not-started', applied: [], reason: 'db7 failed', seconds: {} }
      }
      const seconds = { commit: 1 + index / 10, verify: 0.3 }
      return { host, result: 'changed', applied: ['restart manager'], proved: 'logins verified', seconds }
    })
    expect(summaryText(many, { colour: false })).toBe(
      `30 hosts  done: 1 change, logins verified (commit 1.0 to 4.0 s, verify 0.3 s)
          db1, db2, db3, db4, db5, db6, db8, db9, db10, db11, db12, db13 and 18 more
db7       failed (commit 1.0 s)
9 hosts   not started: db7 failed
          db32, db33, db34, db35, db36, db37, db38, db39 and db40
`,
    )
  })

  it('names no hosts if all have the same result, and wraps lines at the terminal width', () => {
    const all = Array.from({ length: 50 }, (_, index): HostOutcome => {
      const seconds = { connect: 0.2, facts: 0.3, verify: 1 + index / 10 }
      return { host: `db${index + 1}`, result: 'unchanged', applied: [], proved: 'logins verified', seconds }
    })
    expect(summaryText(all, { colour: false, width: 60 })).toBe(
      `all 50 hosts  nothing to do, logins verified (connect 0.2 s,
              facts 0.3 s, verify 1.0 to 5.9 s)
`,
    )
  })
})

describe('changesText', () => {
  it('lists changed, staged, committed and rolled back changes once for all hosts with the same ones', () => {
    const undone: HostOutcome = { host: 'db9', result: 'failed', applied: ['x'], undone: true, seconds: {} }
    const same: HostOutcome = { host: 'db8', result: 'changed', applied: ['stop manager'], seconds: {} }
    expect(changesText([...outcomes, same, undone], false)).toBe(
      `changed on db1:
  write settings
  restart manager
changed on db20 and db8:
  stop manager
committed on db4 and db5b:
  write settings
staged on db4b:
  send the runtime
  send release 2
committed and rolled back on db4b:
  write settings
staged on db5 and db6:
  send the runtime
committed and rolled back on db9:
  x
`,
    )
    expect(changesText([], false)).toBe('')
  })
})
