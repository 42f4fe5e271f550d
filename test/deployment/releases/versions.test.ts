import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notUpgradable } from '../../../src/deployment/releases/upgradable.ts'
import { isNewer } from '../../../src/deployment/releases/versions.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

/** The example of semver.org, section 11, between other versions; oldest first. */
const ordered = [
  '0.9.10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.10',
  '1.2.0',
  '10.0.0',
]

describe('isNewer', () => {
  it('is the order of semver.org', () => {
    const pairs = ordered.flatMap((one, i) => ordered.map((other, j) => [one, other, i > j] as const))
    for (const [one, other, newer] of pairs)
      expect([one, other, isNewer(one, other)]).toEqual([one, other, newer])
  })

  it('never takes each of two for the newer one, whatever they are', () => {
    const version = fc.oneof(
      fc.string(),
      fc.constantFrom(...ordered),
      fc.stringMatching(/^\d\.\d\.\d(-[a-z0-9]{1,2}(\.[a-z0-9]{1,2}){0,2})?(\+b)?$/),
    )
    fc.assert(fc.property(version, version, (one, other) => !(isNewer(one, other) && isNewer(other, one))))
    expect(isNewer('1.0.0+build', '1.0.0')).toBe(false)
  })
})

describe('notUpgradable', () => {
  const host = hostConfig()
  const of = (currentRelease: string | undefined, version: string) =>
    notUpgradable({
      host,
      version,
      facts: hostFacts({
        installation: installationFacts({
          ...(currentRelease === undefined ? {} : { currentRelease, manifest: '{}' }),
        }),
      }),
    })

  it('names install where nothing is, and rollback where a newer release is', () => {
    expect(of(undefined, '1.0.0')).toMatchObject({
      host: 'db1',
      code: 'not-installed',
      message: 'nothing to upgrade is installed in /opt/muster',
      fix: 'Install it with `muster install --host db1`, or exclude it with --host.',
    })
    expect(of('1.1.0-rc.1-0123456789ab', '1.0.9')).toMatchObject({
      code: 'newer-release',
      message: 'it runs 1.1.0-rc.1, which is newer than this muster, 1.0.9',
      fix: 'Upgrade with muster 1.1.0-rc.1 or a newer one. To go back on purpose: `muster rollback`.',
    })
  })

  it('compares with the release of --release, and names the ways back on purpose', () => {
    const [runs, kept] = ['1.1.0-0123456789ab', '1.0.0-0123456789ab']
    const releases = [runs, kept].map((id, index) => ({ id, turn: 2 - index, node: '', nodeThere: true }))
    const to = (release: string, currentRelease: string) =>
      notUpgradable({
        host,
        version: '2.0.0',
        release,
        facts: hostFacts({ installation: installationFacts({ manifest: '{}', currentRelease, releases }) }),
      })
    expect(to('1.0.0', runs)).toMatchObject({
      code: 'newer-release',
      message: `it runs 1.1.0, which is newer than the release ${kept}`,
      fix: 'To go back on purpose: `muster rollback --to 1.0.0`, or `muster install --release 1.0.0`.',
    })
    expect([to('1.1.0', kept), to('1.1.0', runs), to('3.0.0', runs)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is silent where the same version, an older one or something unknown runs', () => {
    for (const id of ['1.0.0-0123456789ab', '0.9.0-0123456789ab', 'odd'])
      expect(of(id, '1.0.0')).toBeUndefined()
  })
})
