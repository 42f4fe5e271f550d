import { describe, expect, it } from 'vitest'
import type { InstallationFacts, ReleaseFact } from '../../../src/deployment/facts/model.ts'
import { byTurn, removable } from '../../../src/deployment/releases/kept.ts'
import { installationFacts } from '../../support/deploymentValues.ts'

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

describe('removable', () => {
  it('is nothing while three releases or fewer were ever current', () => {
    expect(removable(three(), next('c'))).toEqual([])
    expect(removable(installationFacts(), next('a'))).toEqual([])
  })

  it('is the oldest and its runtime once a fourth is current, and nothing after that', () => {
    expect(removable(three(), next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
    const after = three({
      currentRelease: 'd',
      releases: [release('b', 2), release('c', 3), release('d', 4)],
      runtimes: ['node-b', 'node-c', 'node-d'],
    })
    expect(removable(after, next('d'))).toEqual([])
  })

  it('goes by when a release was current, not by its name or when it was sent', () => {
    const back = three({
      currentRelease: 'a',
      releases: [release('a', 9), release('b', 2), release('c', 3)],
    })
    expect(removable(back, next('d'))).toEqual(['releases/b', 'runtimes/node-b'])
  })

  it('is never the current release, even where nobody wrote down its turn', () => {
    const unknown = three({
      releases: [release('a', 1), release('b', 2), release('c', 0)],
    })
    expect(removable(unknown, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
    expect(byTurn(unknown).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  it('is what was sent and never became current, but not what is about to', () => {
    const sent = three({ releases: [...three().releases, release('d', 0)] })
    expect(removable(sent, next('c'))).toEqual(['releases/d'])
    expect(removable(sent, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
  })

  it('leaves a runtime that a kept release uses', () => {
    const shared = three({
      releases: [release('a', 1, '../../runtimes/node-b/node'), ...three().releases.slice(1)],
    })
    expect(removable(shared, next('d'))).toEqual(['releases/a', 'runtimes/node-a'])
  })

  it('takes the host’s own Node.js for no runtime of ours', () => {
    const own = three({ releases: [release('c', 3, '/usr/bin/node')], runtimes: ['node-c'] })
    expect(removable(own, { release: 'c', runtime: undefined })).toEqual(['runtimes/node-c'])
  })
})
