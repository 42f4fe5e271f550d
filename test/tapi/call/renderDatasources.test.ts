import { describe, expect, it } from 'vitest'
import { envelope } from '../../../src/contracts/envelope.ts'
import { managerExamples } from '../../../src/contracts/examples/managerExamples.ts'
import { renderService } from '../../../src/tapi/call/renderDatasources.ts'

describe('renderService', () => {
  const render = (failover: object) =>
    renderService(
      envelope('ServiceStatusPayload', { ...managerExamples.managerServiceStatus.response, failover }),
    )

  it('says why a lost primary would not be replaced without a person', () => {
    const reason = 'db1 may acknowledge what no other server has.'
    expect(render({ automatic: false, reason })).toMatch(
      /^alpha: policy AUTOMATIC, failover by hand\nfailover by hand: db1 may acknowledge what no other server has\.\n/,
    )
  })

  it('says that it would, and why the last attempt changed nothing', () => {
    expect(render({ automatic: true, reason: null })).toMatch(
      /^alpha: policy AUTOMATIC, failover automatic\n(?!failover)/,
    )
    expect(render({ automatic: true, reason: 'db1: It answers.' })).toContain(
      '\nfailover automatic: db1: It answers.\n',
    )
  })

  it('is by hand for a manager of an earlier release, which does not tell', () => {
    expect(render({})).toMatch(/^alpha: policy AUTOMATIC, failover by hand\n/)
  })
})
