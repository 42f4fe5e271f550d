import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import {
  requireSettingsSupport,
  requireTargetSupport,
} from '../../../src/deployment/releases/compatibility.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { targetOf } from '../steps/target.ts'

const asked = {
  release: '1.0.0-old',
  layout: layoutOf('/opt/muster'),
  components: ['manager', 'replicator'],
} as const

describe('requireSettingsSupport', () => {
  it('asks the release itself, for each component', async () => {
    const host = fakeTransport({ expect: [{ script: '' }] })
    await requireSettingsSupport(host, asked)
    const program = '/opt/muster/releases/1.0.0-old/node /opt/muster/releases/1.0.0-old/muster-api.cjs'
    for (const component of asked.components) {
      expect(host.scripts[0]).toContain(`${program} check --settings /opt/muster/share/${component}.json\n`)
    }
  })

  it('fails with the message of the release', async () => {
    const stderr = 'muster-api: the settings /opt/x cannot be used: /proxy is new\n'
    const host = fakeTransport({ expect: [{ script: 'check', result: { code: 1, stderr } }] })
    await expect(requireSettingsSupport(host, asked)).rejects.toMatchObject({
      code: 'release-unfit',
      message:
        'the release 1.0.0-old cannot start with the installed settings: the settings /opt/x cannot be used: /proxy is new',
    })
  })
})

describe('requireTargetSupport', () => {
  const target = targetOf()

  it('passes the new settings to the release and leaves no copy', async () => {
    const host = fakeTransport({ expect: target.components.map(() => ({ script: 'mktemp -d' })) })
    await requireTargetSupport(host, target)
    expect(host.scripts).toHaveLength(3)
    expect(host.scripts[0]).toContain(`trap 'rm -rf "$d"' EXIT\n`)
    expect(host.scripts[0]).toContain(
      `/${target.release.id}/muster-api.cjs check --settings "$d/settings.json"\n`,
    )
  })

  it('fails with the message of the release without the path of the copy', async () => {
    const stderr = 'muster-api: the settings /tmp/tmp.x/settings.json cannot be used: /proxy is new\n'
    const host = fakeTransport({ expect: [{ script: 'check', result: { code: 1, stderr } }] })
    await expect(requireTargetSupport(host, target)).rejects.toMatchObject({
      code: 'release-unfit',
      message: `the release ${target.release.id} does not support the settings that would be installed: /proxy is new`,
      fix: 'Name another release with --release, or install with a muster of version 1.2.3.',
    })
  })
})
