import { describe, expect, it } from 'vitest'
import type { InstallationFacts, ReleaseFact } from '../../../src/deployment/facts/model.ts'
import { nameParts, releaseToGoTo } from '../../../src/deployment/releases/choose.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'

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
    return `goes to ${releaseToGoTo(facts, to).id}`
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    return `${error.code}: ${error.message}\n${error.fix}`
  }
}

describe('releaseToGoTo', () => {
  it('is the one before the current, by when they were current', () => {
    expect(releaseToGoTo(host, undefined).id).toBe('1.0.0-a')
  })

  it.each([
    ['1.0.0-b', '1.0.0-b'],
    ['1.0.0', '1.0.0-a'],
    ['2.0.0', '2.0.0-c'],
    ['3.0.0-d', '3.0.0-d'],
  ])('is the one that --to %s names', (to, id) => {
    expect(releaseToGoTo(host, to).id).toBe(id)
  })

  it('is refused where there is none, with what there is', () => {
    expect(refusal(host, '1.0')).toBe(
      'no-such-release: the release 1.0 is not installed; the host has 2.0.0-c, 1.0.0-a, 1.0.0-b\n' +
        'Name one that every host has with --to, such as 1.0.0-a.',
    )
    expect(refusal(hostFacts())).toMatch(/^not-installed: /)
    expect(refusal(factsOf({ currentRelease: 'a', releases: [release('a', 1), release('b', 0)] }))).toBe(
      'no-such-release: no rollback target: there is no release before a\n' +
        'Install the version you want with a muster of that version.',
    )
  })

  it('is refused where its Node.js is gone', () => {
    const gone = factsOf({ currentRelease: 'b', releases: [release('a', 1, false), release('b', 2)] })
    expect(refusal(gone)).toMatch(
      /^release-incomplete: the Node\.js of the release a is missing \(\/gone\/node\)/,
    )
  })
})

describe('nameParts', () => {
  it('takes the digest from the end, for versions may have dashes', () => {
    expect(nameParts('1.0.0-rc.1-abc')).toEqual({ version: '1.0.0-rc.1', digest: 'abc' })
    expect(nameParts('odd')).toEqual({ version: 'odd', digest: '' })
  })
})
