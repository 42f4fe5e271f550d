import { describe, expect, it } from 'vitest'
import { storesStep } from '../../../src/deployment/steps/storesStep.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { targetOf } from './target.ts'

describe('storesStep', () => {
  const target = targetOf()
  const { layout } = target
  const is = { mode: 0o640, owner: 'root:muster', sha256: 'x' }
  const files = new Map([
    ...target.tls.map((file) => [file.path, file] as const),
    [`${layout.tls}/keystore.jks`, is] as const,
    [`${layout.tls}/truststore`, is] as const,
    [`${layout.tls}/notes.txt`, is] as const,
    [`${layout.share}/keystore.jks`, is] as const,
  ])

  it('removes stores of another format after the new ones are written, and no other file', async () => {
    const facts = hostFacts({ installation: installationFacts({ files }) })
    const step = storesStep(target)
    expect(step.check(facts)?.details).toEqual([
      'share/tls/keystore.jks: removed',
      'share/tls/truststore: removed',
    ])
    const host = fakeTransport({
      expect: [{ script: `rm -f ${layout.tls}/keystore.jks ${layout.tls}/truststore`, times: 1 }],
    })
    await step.apply(host, facts)
    expect(host.unmet()).toEqual([])
  })

  it('keeps stores that the file names on the host', () => {
    const hostStores = new Map([[`${layout.tls}/keystore.jks`, Buffer.from('')]])
    const facts = hostFacts({ hostStores, installation: installationFacts({ files }) })
    expect(storesStep(target).check(facts)?.details).toEqual(['share/tls/truststore: removed'])
  })
})
