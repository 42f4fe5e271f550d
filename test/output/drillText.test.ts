import { describe, expect, it } from 'vitest'
import {
  drillEndText,
  drillJson,
  drillMarkdown,
  drillMomentText,
  drillPlanText,
  drillRefusalText,
  drillVerdict,
} from '../../src/output/drillText.ts'
import { drillPlan, drillReport } from '../support/drillValues.ts'

const about = { cluster: 'alpha', started: new Date('2026-11-30T01:02:03Z'), version: '0.2.0' }
const lost = drillReport({
  proofs: [{ host: 'db1', follows: true, proof: { missing: 2, examples: ['0:7', '3:9'], unanswered: 1 } }],
})
const away = drillReport({
  proofs: [{ host: 'db1', follows: false, proof: { missing: 1, examples: ['0:7'], unanswered: 0 } }],
  problems: ['db1: it is FAILED'],
})
const incomplete = drillReport({ problems: ['db1: it is FAILED'] })

describe('the plan of a drill', () => {
  it('says what happens to whom, what is made, and that the host undoes the fault by itself', () => {
    expect(drillPlanText(drillPlan)).toBe(`alpha: kill db1, the primary
  the process of its database server is killed; its unit may start it again at once
  the managers make db2 or db3 the primary; clients that write wait some seconds, and some get an error
  4 clients write to a database muster_drill through the connector of db2 (port 9999)
  it and an account of this name are made for that, and removed at the end
  it lasts until the service has dealt with it; db1 undoes it by itself after 60 s at the latest
`)
    expect(drillPlanText({ ...drillPlan, mayStayAway: true })).toContain(
      '  a MySQL keeps commits that no other server received: db1 may stay FAILED, until `muster provision db1` makes it anew\n',
    )
    const replica = drillPlanText({ ...drillPlan, fault: 'cut', host: 'db3', hasRemains: true })
    expect(replica).toContain('alpha: cut db3, the replica\n')
    expect(replica).toContain('clients that write go on')
    expect(replica).toContain('what an earlier drill left of it is removed first')
  })

  it('is a list of reasons where it is refused', () => {
    expect(drillRefusalText('alpha', [{ host: null, reason: 'why', fix: 'Do that.' }])).toBe(
      'error: The drill is refused; nothing was changed.\n  alpha: why\n    fix: Do that.\n',
    )
  })
})

describe('the result of a drill', () => {
  it('has a verdict: lost rows weigh more than what is not as before', () => {
    expect(drillVerdict(drillReport())).toBe('passed')
    expect(drillVerdict({ ...lost, problems: ['any'] })).toBe('lost')
    expect(drillVerdict(incomplete)).toBe('incomplete')
    expect(drillVerdict(away)).toBe('incomplete')
    expect(drillVerdict(drillReport({ proofs: [] }))).toBe('incomplete')
    expect(drillVerdict(drillReport({ proofs: [{ host: 'db1', follows: true, proof: 'no answer' }] }))).toBe(
      'incomplete',
    )
  })

  it('has each moment as a line', () => {
    expect(drillMomentText('primary', { after: 3912, host: 'db1', primary: 'db2' })).toBe(
      '  3.9 s: db2 is the primary',
    )
  })

  it('is written for a terminal, with what is wrong as an error', () => {
    expect(drillEndText(drillReport())).toEqual({
      out: `db2 is the primary in place of db1
1971 rows acknowledged; longest pause of a client 3.9 s
4 rows refused
  4 times: The database 127.0.0.1:9999 broke the connection off.
db1 has all of them
db2 has all of them
db3 has all of them
alpha: nothing was lost, and the service is whole again
`,
      err: '',
    })
    expect(drillEndText(lost).out).toContain(
      'db1 lacks 2 rows (writer:row 0:7, 3:9), and 1 row whose answer was lost\n',
    )
    expect(drillEndText(away).out).toContain('db1 lacks 1 row (writer:row 0:7), since it does not follow\n')
    expect(drillEndText(lost).err).toBe('error: alpha: acknowledged rows were lost\n')
    expect(drillEndText(incomplete).err).toBe(
      'error: alpha: not all is as it was before, or was seen to be\n  db1: it is FAILED\n',
    )
    expect(drillEndText(drillReport({ newPrimary: 'db1' })).out).toMatch(/^db1 stayed the primary\n/)
  })

  it('is written as JSON', () => {
    expect(JSON.parse(drillJson(incomplete, about))).toMatchObject({
      ...{ cluster: 'alpha', started: '2026-11-30T01:02:03.000Z', verdict: 'incomplete', newPrimary: 'db2' },
      struck: '2026-11-30T01:02:06.500Z',
      ...{ moments: { whole: 9600 }, problems: ['db1: it is FAILED'], plan: { fault: 'kill', host: 'db1' } },
    })
  })

  it('is written as Markdown, in which words of a host are no markup', () => {
    const messages = [{ message: '|`<b>', rows: 4 }]
    const text = drillMarkdown(
      drillReport({
        rows: { acknowledged: 9, longestPause: 10, refused: { rows: 4, messages } },
        problems: ['db1: it is <i>FAILED</i>'],
        interrupted: true,
      }),
      about,
    )
    expect(text).toBe(`# Drill of \`alpha\`: kill \`db1\`

**not all is as it was before, or was seen to be** (ended early by Ctrl-C)

2026-11-30T01:02:03.000Z, service \`alpha\`, muster 0.2.0. Times are since the fault, at 2026-11-30T01:02:06.500Z.

| seconds | what was seen |
|---|---|
| 1.2 | db1 is FAILED |
| 3.6 | the first row that was begun afterwards is acknowledged |
| 3.9 | db2 is the primary |
| 4.4 | the fault is undone |
| 9.1 | db1 is ONLINE again |
| 9.6 | the service is whole again |

- db2 is the primary in place of db1
- 9 rows acknowledged; longest pause of a client 0.0 s
- 4 rows refused

| refused rows | message |
|---|---|
| 4 | \`\\x7c\\x60<b>\` |

| server | acknowledged rows |
|---|---|
| \`db1\` | \`has all of them\` |
| \`db2\` | \`has all of them\` |
| \`db3\` | \`has all of them\` |

- \`db1: it is <i>FAILED</i>\`
`)
  })
})
