import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InstallationFacts, ReleaseFact } from '../../../src/deployment/facts/hostFacts.ts'
import {
  isNewer,
  nameParts,
  releasesByRecency,
  removable,
  rollbackTarget,
} from '../../../src/deployment/releases/chooseRelease.ts'
import { upgradeProblem } from '../../../src/deployment/releases/compatibility.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const release = (id: string, turn: number, nodeThere = true): ReleaseFact => ({
  id,
  turn,
  node: '/gone/node',
  nodeThere,
})
const factsOf = (changes: Partial<InstallationFacts>) =>
  hostFacts({ installation: installationFacts(changes) })
const host = factsOf({
  currentRelease: '2.0.0-c',
  releases: [release('1.0.0-a', 4), release('1.0.0-b', 2), release('2.0.0-c', 5), release('3.0.0-d', 0)],
})
const refusal = (facts: typeof host, to?: string): string => {
  try {
    return `goes to ${rollbackTarget(facts, to).id}`
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    return `${error.code}: ${error.message}\n${error.fix}`
  }
}

describe('rollbackTarget', () => {
  it('is the previous release', () => {
    expect(rollbackTarget(host, undefined).id).toBe('1.0.0-a')
  })

  it.each([
    ['1.0.0-b', '1.0.0-b'],
    ['1.0.0', '1.0.0-a'],
    ['2.0.0', '2.0.0-c'],
    ['3.0.0-d', '3.0.0-d'],
  ])('is the release of --to %s', (to, id) => {
    expect(rollbackTarget(host, to).id).toBe(id)
  })

  it('fails without a previous release and lists the others', () => {
    expect(refusal(host, '1.0')).toBe(
      'no-such-release: the release 1.0 is not installed; the host has 2.0.0-c, 1.0.0-a, 1.0.0-b\n' +
        'Use --to with a release that every host has, such as 1.0.0-a.',
    )
    expect(refusal(hostFacts())).toMatch(/^not-installed: /)
    expect(refusal(factsOf({ currentRelease: 'a', releases: [release('a', 1), release('b', 0)] }))).toBe(
      'no-such-release: no rollback target: there is no release before a\n' +
        'Install the version you want with a muster of that version.',
    )
  })

  it('fails if its Node.js is missing', () => {
    const gone = factsOf({ currentRelease: 'b', releases: [release('a', 1, false), release('b', 2)] })
    expect(refusal(gone)).toMatch(
      /^release-incomplete: the Node\.js of the release a is missing \(\/gone\/node\)/,
    )
  })
})

describe('nameParts', () => {
  it('splits the digest from the end, because versions may contain dashes', () => {
    expect(nameParts('1.0.0-rc.1-abc')).toEqual({ version: '1.0.0-rc.1', digest: 'abc' })
    expect(nameParts('odd')).toEqual({ version: 'odd', digest: '' })
  })
})

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
  it('orders versions as semver.org', () => {
    const pairs = ordered.flatMap((one, i) => ordered.map((other, j) => [one, other, i > j] as const))
    for (const [one, other, newer] of pairs)
      expect([one, other, isNewer(one, other)]).toEqual([one, other, newer])
  })

  it('never orders two versions both ways', () => {
    const version = fc.oneof(
      fc.string(),
      fc.constantFrom(...ordered),
      fc.stringMatching(/^\d\.\d\.\d(-[a-z0-9]{1,2}(\.[a-z0-9]{1,2}){0,2})?(\+b)?$/),
    )
    fc.assert(fc.property(version, version, (one, other) => !(isNewer(one, other) && isNewer(other, one))))
    expect(isNewer('1.0.0+build', '1.0.0')).toBe(false)
  })
})

describe('upgradeProblem', () => {
  const host = hostConfig()
  const of = (currentRelease: string | undefined, version: string) =>
    upgradeProblem({
      host,
      version,
      facts: hostFacts({
        installation: installationFacts({
          ...(currentRelease === undefined ? {} : { currentRelease, manifest: '{}' }),
        }),
      }),
    })

  it('suggests install without an installation, and rollback for a newer release', () => {
    expect(of(undefined, '1.0.0')).toMatchObject({
      host: 'db1',
      code: 'not-installed',
      message: 'no complete installation in /opt/muster',
      fix: 'Install it with `muster install --host db1`, or exclude it with --host.',
    })
    expect(of('1.1.0-rc.1-0123456789ab', '1.0.9')).toMatchObject({
      code: 'newer-release',
      message: 'it runs 1.1.0-rc.1, which is newer than this muster, 1.0.9',
      fix: 'Upgrade with muster 1.1.0-rc.1 or a newer one. To downgrade, run `muster rollback`.',
    })
  })

  it('compares with the release of --release and suggests how to downgrade', () => {
    const [runs, kept] = ['1.1.0-0123456789ab', '1.0.0-0123456789ab']
    const releases = [runs, kept].map((id, index) => ({ id, turn: 2 - index, node: '', nodeThere: true }))
    const to = (release: string, currentRelease: string) =>
      upgradeProblem({
        host,
        version: '2.0.0',
        release,
        facts: hostFacts({ installation: installationFacts({ manifest: '{}', currentRelease, releases }) }),
      })
    expect(to('1.0.0', runs)).toMatchObject({
      code: 'newer-release',
      message: `it runs 1.1.0, which is newer than the release ${kept}`,
      fix: 'To downgrade, run `muster rollback --to 1.0.0` or `muster install --release 1.0.0`.',
    })
    expect([to('1.1.0', kept), to('1.1.0', runs), to('3.0.0', runs)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('returns undefined for the same, an older or an unknown version', () => {
    for (const id of ['1.0.0-0123456789ab', '0.9.0-0123456789ab', 'odd'])
      expect(of(id, '1.0.0')).toBeUndefined()
  })
})

describe('removable', () => {
  const release = (id: string, turn: number, node = `../../runtimes/node-${id}/node`): ReleaseFact => ({
    id,
    turn,
    node,
    nodeThere: true,
  })

  /** A host that had a, b and c; c is current. */
  const three = (changes: Partial<InstallationFacts> = {}): InstallationFacts =>
    installationFacts({
      currentRelease: 'c',
      releases: [release('a', 1), release('b', 2), release('c', 3)],
      runtimes: ['node-a', 'node-b', 'node-c'],
      ...changes,
    })

  const next = (id: string) => ({ release: id, runtime: `node-${id}` })

  it('returns nothing for up to three releases', () => {
    expect(removable(three(), next('c'))).toEqual([])
    expect(removable(installationFacts(), next('a'))).toEqual([])
  })

  it('returns the oldest release and its runtime once a fourth is current', () => {
    expect(removable(three(), next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
    const after = three({
      currentRelease: 'd',
      releases: [release('b', 2), release('c', 3), release('d', 4)],
      runtimes: ['node-b', 'node-c', 'node-d'],
    })
    expect(removable(after, next('d'))).toEqual([])
  })

  it('orders by activation, not by name or upload', () => {
    const back = three({
      currentRelease: 'a',
      releases: [release('a', 9), release('b', 2), release('c', 3)],
    })
    expect(removable(back, next('d'))).toEqual(['releases/b', 'runtimes/node-b'])
  })

  it('never returns the current release', () => {
    const unknown = three({
      releases: [release('a', 1), release('b', 2), release('c', 0)],
    })
    expect(removable(unknown, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
    expect(releasesByRecency(unknown).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  it('returns releases that never became current, except the next one', () => {
    const sent = three({ releases: [...three().releases, release('d', 0)] })
    expect(removable(sent, next('c'))).toEqual(['releases/d'])
    expect(removable(sent, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
  })

  it('keeps a runtime that a kept release uses', () => {
    const shared = three({
      releases: [release('a', 1, '../../runtimes/node-b/node'), ...three().releases.slice(1)],
    })
    expect(removable(shared, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
  })

  it("does not treat the host's own Node.js as a runtime", () => {
    const own = three({ releases: [release('c', 3, '/usr/bin/node')], runtimes: ['node-c'] })
    expect(removable(own, { release: 'c', runtime: undefined })).toEqual(['runtimes/node-c'])
  })
})
