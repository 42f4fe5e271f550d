import { describe, expect, it } from 'vitest'
import type { Component } from '../../../src/contracts/component.ts'
import type { TriedChannel } from '../../../src/contracts/hostRoutes.ts'
import { tryInstalledChannels } from '../../../src/deployment/triedChannels.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { subject, verdicts } from './values.ts'

const reached = { host: 'db2', port: 8091 } as const
const lost = { host: 'db3', port: 8091, error: 'No answer of db3 port 8091 within 5 s.' } as const
const other = (name: string, observed: Parameters<typeof subject>[0] = {}) =>
  subject({ host: { name }, facts: { host: name }, ...observed })

describe('the check of channels', () => {
  it('says which managers a host reaches, and skips one that calls none', () => {
    const found = (channels?: readonly TriedChannel[]) =>
      verdicts('channel', [{ ...subject(), ...(channels && { channels }) }])
    expect(found([reached, { ...reached, host: 'db3' }])).toEqual([
      { result: 'ok', reason: 'reaches the managers of db2 and db3' },
    ])
    const skipped = {
      result: 'ok',
      reason: 'not checked: nothing installed here calls managers of other hosts',
    }
    expect([found(), found([])]).toEqual([[skipped], [skipped]])
  })

  it('warns of each that a host does not reach, with the reason and the firewall that is active there', () => {
    const firewall = { kind: 'firewalld', rules: '' } as const
    const verdict = {
      result: 'warning',
      fix: 'Start the manager of db3, and let db1 through to that port.',
    }
    const reason = `does not reach the manager of db3 at its cluster-port 8091: ${lost.error}`
    const own = { ...subject(), channels: [reached, lost] }
    expect(verdicts('channel', [own, other('db3')])).toEqual([{ ...verdict, reason }])
    expect(verdicts('channel', [own, other('db3', { observed: { firewall } })])).toEqual([
      { ...verdict, reason: `${reason} firewalld is active there.` },
    ])
  })

  const installed = (...of: readonly Component[]) =>
    hostFacts({
      uid: 0,
      installation: {
        ...installationFacts(),
        settings: new Map(of.map((component) => [component, { managers: [{}] }])),
      },
    })

  it('calls once with what is installed, as the user of the components', async () => {
    const transport = fakeTransport({
      expect: [{ script: 'share/manager.json', result: { stdout: `${JSON.stringify([reached, lost])}\n` } }],
    })
    const tried = await tryInstalledChannels(transport, {
      host: hostConfig(),
      facts: installed('manager', 'connector'),
    })
    expect(tried).toEqual([reached, lost])
    expect(transport.scripts).toHaveLength(1)
    expect(transport.scripts[0]).toContain('try-channels')
    expect(
      await tryInstalledChannels(fakeTransport({}), { host: hostConfig(), facts: installed() }),
    ).toBeUndefined()
  })

  it.each([
    ['an older release that does not know the command', { code: 3 }],
    ['words that are no JSON', { stdout: 'hello\n' }],
    ['a list of something else', { stdout: '[{"host":"db2"}]\n' }],
    ['an error that is no text', { stdout: '[{"host":"db2","port":1,"error":{}}]\n' }],
  ])('counts as not tried where the host answers with %s', async (_what, result) => {
    const transport = fakeTransport({ expect: [{ script: 'share/connector.json', result }] })
    const facts = installed('connector')
    expect(await tryInstalledChannels(transport, { host: hostConfig(), facts })).toBeUndefined()
  })
})
