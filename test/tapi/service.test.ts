import { describe, expect, it } from 'vitest'
import { renderServices } from '../../src/tapi/service.ts'

const alpha = {
  role: 'replica',
  state: 'ONLINE',
  appliedLastSeqno: 35,
  appliedLatency: 0,
  masterConnectUri: 'mysql://10.0.0.11:3306',
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
}
const west = {
  ...alpha,
  state: 'OFFLINE:ERROR',
  appliedLastSeqno: null,
  appliedLatency: null,
  pendingError: 'The applier stopped with an error.',
  pendingErrorCode: 1062,
  pendingExceptionMessage: 'Duplicate entry \u001b[31m',
}
const body = (payload: unknown) => ({ payloadType: 'ReplicatorStatusPayload', payloadVersion: '1', payload })

describe('renderServices', () => {
  it('shows a table, and below it what is wrong', () => {
    expect(renderServices(body({ alpha, 'west-2': west }))).toBe(
      `service  role     state          seqno  latency  primary
alpha    replica  ONLINE         35     0 s      mysql://10.0.0.11:3306
west-2   replica  OFFLINE:ERROR  -      -        mysql://10.0.0.11:3306
west-2: The applier stopped with an error.
  ERROR 1062: Duplicate entry \\x1b[31m
`,
    )
  })

  it('shows what a call changed', () => {
    const payload = { alpha: { ...alpha, changed: true }, beta: { ...alpha, changed: false } }
    expect(renderServices(body(payload))).toBe(
      `service  role     state   seqno  latency  primary                 changed
alpha    replica  ONLINE  35     0 s      mysql://10.0.0.11:3306  yes
beta     replica  ONLINE  35     0 s      mysql://10.0.0.11:3306  no
`,
    )
  })

  it('says that there are none', () => {
    expect(renderServices(body({}))).toBe('no replication services\n')
  })

  it('shows anything else as it came', () => {
    expect(renderServices('words')).toBe('words\n')
    expect(renderServices(body([1]))).toBe('[\n  1\n]\n')
  })
})
