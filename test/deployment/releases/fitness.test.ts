import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { mustUnderstand } from '../../../src/deployment/releases/fitness.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

const asked = {
  release: '1.0.0-old',
  layout: layoutOf('/opt/muster'),
  components: ['manager', 'replicator'],
} as const

describe('mustUnderstand', () => {
  it('asks the release itself, for each component', async () => {
    const host = fakeTransport({ expect: [{ script: '' }] })
    await mustUnderstand(host, asked)
    const program = '/opt/muster/releases/1.0.0-old/node /opt/muster/releases/1.0.0-old/muster-api.cjs'
    for (const component of asked.components) {
      expect(host.scripts[0]).toContain(`${program} check --settings /opt/muster/share/${component}.json\n`)
    }
  })

  it('refuses in the words of the release', async () => {
    const stderr = 'muster-api: the settings /opt/x cannot be used: /proxy is new\n'
    const host = fakeTransport({ expect: [{ script: 'check', result: { code: 1, stderr } }] })
    await expect(mustUnderstand(host, asked)).rejects.toMatchObject({
      code: 'release-unfit',
      message:
        'the release 1.0.0-old cannot start with what is installed now: the settings /opt/x cannot be used: /proxy is new',
    })
  })
})
