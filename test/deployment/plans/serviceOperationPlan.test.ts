import { describe, expect, it } from 'vitest'
import type { Component } from '../../../src/contracts/component.ts'
import type { HostFacts, ServiceState } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import {
  type ServiceOperation,
  serviceOperationPlan,
} from '../../../src/deployment/plans/serviceOperationPlan.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import { hostFacts, serviceSet } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const notInstalled = () =>
  new StepError({ host: 'db1', code: 'not-installed', message: 'nothing is installed', fix: 'install' })
const planOf = (operation: ServiceOperation, facts: HostFacts) =>
  preview(
    serviceOperationPlan({
      operation,
      facts,
      set: serviceSet({ components: ['manager', 'connector'] }),
      notInstalled,
    }),
    facts,
  )
const states = (manager: ServiceState, connector: ServiceState): HostFacts => ({
  ...finishedFacts(targetOf()),
  services: new Map<Component, { state: ServiceState; enabled: boolean }>([
    ['manager', { state: manager, enabled: true }],
    ['connector', { state: connector, enabled: true }],
  ]),
})
const answer = (...results: readonly object[]) => ({
  script: 'muster-api.cjs call',
  result: { stdout: JSON.stringify(results) },
})

describe('serviceOperationPlan', () => {
  it.each<[ServiceOperation, HostFacts, readonly string[]]>([
    ['start', states('running', 'running'), []],
    ['start', states('running', 'failed'), ['start connector']],
    ['start', states('stopped', 'absent'), ['start manager, connector']],
    ['stop', states('stopped', 'failed'), []],
    ['stop', states('running', 'stopped'), ['stop manager']],
    ['restart', states('running', 'stopped'), ['restart manager, connector']],
  ])('has a %s step only for components that need it', (operation, facts, changes) => {
    expect(planOf(operation, facts).map(({ change }) => change.summary)).toEqual(changes)
  })

  it('lets clients finish before a restart, one host after another', async () => {
    const facts = states('running', 'running')
    const set = serviceSet({ components: ['manager', 'connector'], drainTimeout: 600_000 })
    const of = (operation: ServiceOperation) =>
      preview(serviceOperationPlan({ operation, facts, set, notInstalled }), facts)[0]
    expect([of('restart')?.change.drains, of('stop')?.change.drains]).toEqual([600_000, undefined])
    const timeouts: unknown[] = []
    const host = fakeTransport({
      expect: [
        {
          script: 'systemctl',
          result: (_, { timeout }) => {
            timeouts.push(timeout)
            return {}
          },
        },
      ],
    })
    await of('stop')?.step.apply(host)
    expect(timeouts).toEqual([700_000])
  })

  it('fails if nothing is installed', async () => {
    for (const operation of ['start', 'stop', 'restart'] as const) {
      const [planned] = planOf(operation, hostFacts())
      await expect(planned?.step.apply(fakeTransport({}))).rejects.toThrow('nothing is installed')
    }
  })

  it('ends when each started component has responded', async () => {
    const [planned] = planOf('start', states('running', 'stopped'))
    const host = fakeTransport({
      expect: [
        { script: 'systemctl start muster-alpha-connector.service', times: 1 },
        answer({ id: 'connector', status: 200, body: {} }),
      ],
    })
    await planned?.step.apply(host)
    expect(host.unmet()).toEqual([])
  })

  it('names a component that ended', async () => {
    const [planned] = planOf('restart', states('running', 'running'))
    const ended = { id: 'connector', error: { code: 'ended', message: 'it ended after its start' } }
    const journal = `${['ActiveState=failed', 'SubState=failed', 'Result=exit-code', 'ExecMainCode=1', 'ExecMainStatus=1', 'NRestarts=5'].join('\n')}

{"level":"error","msg":"cannot listen on 127.0.0.1:8096"}
\u001b[2Jbye
`
    const host = fakeTransport({
      expect: [
        { script: 'systemctl start' },
        answer(ended),
        { script: 'journalctl', result: { stdout: journal } },
      ],
    })
    await expect(planned?.step.apply(host)).rejects.toMatchObject({
      code: 'not-answering',
      message:
        'the connector ended after its start instead of answering (result exit-code, exit status 1, restarted 5 times). Its log ends:\nerror cannot listen on 127.0.0.1:8096\n\\x1b[2Jbye',
      fix: 'Fix what the log reports, then run the command again. More of it: `muster logs --host db1`',
    })
  })

  it('names components that do not respond', async () => {
    const [planned] = planOf('restart', states('running', 'running'))
    const silent = { id: 'manager', error: { code: 'no-socket', message: 'no socket' } }
    const host = fakeTransport({
      expect: [
        { script: 'systemctl start' },
        answer(silent, { id: 'connector', status: 200, body: {} }),
        { script: 'journalctl', result: { stdout: 'ActiveState=active\nResult=success\n\nwaiting\n' } },
      ],
    })
    await expect(planned?.step.apply(host)).rejects.toMatchObject({
      code: 'not-answering',
      message: 'the manager did not answer within 20 s after the start. Its log ends:\nwaiting',
    })
  })
})
