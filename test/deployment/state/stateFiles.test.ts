import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import {
  advanceRotation,
  beginRotation,
  pausedRotation,
} from '../../../src/deployment/certificates/authorityRotation.ts'
import {
  type ClusterState,
  emptyState,
  trustedAuthorities,
} from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { readState, saveState } from '../../../src/deployment/state/openState.ts'
import { stateDifferences } from '../../../src/deployment/state/stateDifferences.ts'
import {
  decodeMachines,
  decodeRotation,
  encodeMachines,
  encodeRotation,
  encodeState,
} from '../../../src/deployment/state/stateFiles.ts'
import { sampleState } from './sampleState.ts'

describe('machines.json', () => {
  it('is read back as it was written, whatever the names', () => {
    const machines = fc.dictionary(fc.string({ minLength: 1 }), fc.stringMatching(/^[0-9a-f]{32}$/))
    fc.assert(
      fc.property(
        machines,
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })),
        (ids, places) => {
          const [machines, folders] = [new Map(Object.entries(ids)), new Map(Object.entries(places))]
          const known = { machines, folders, ways: new Map() }
          expect(decodeMachines(encodeMachines(known))).toEqual(known)
        },
      ),
    )
  })

  it('keeps the way to a host', () => {
    const ssh = { transport: 'builtin', user: 'ops', port: 2222, become: true } as const
    const known = { machines: new Map([['db1', '0f']]), folders: new Map([['db1', '/opt/muster']]) }
    const ways = new Map([['db1', { address: '10.0.0.1', ssh }]])
    expect(decodeMachines(encodeMachines({ ...known, ways }))).toEqual({ ...known, ways })
  })

  it.each([
    ['not json', 'is not JSON'],
    ['[]', 'is not JSON'],
    ['{"version":2,"machines":{}}', 'has a version that this muster does not support'],
    ['{"version":1}', 'has no machines'],
    ['{"version":1,"machines":{"db1":7}}', 'has a host without a machine-id'],
    ['{"version":1,"machines":{},"folders":{"db1":""}}', 'has a host without a folder'],
    [
      '{"version":1,"machines":{},"folders":{},"ways":{"db1":{"address":""}}}',
      'has a host without an address',
    ],
  ])('is rejected: %s %s', (text, defect) => {
    expect(decodeMachines(Buffer.from(text))).toBe(defect)
  })
})

const now = new Date('2026-03-10T12:00:00Z')
let folder: string
let next: Authority
/** Before a rotation, in each phase of it, and after. */
let states: readonly ClusterState[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rotation-'))
  const state = await sampleState()
  if (state.authority === undefined) throw new Error('no authority')
  next = await createAuthority({ cluster: 'alpha', now, successorOf: state.authority })
  const trust = beginRotation(state, next)
  const move = advanceRotation(trust)
  const drop = advanceRotation(move)
  states = [state, trust, move, drop, advanceRotation(drop), pausedRotation(trust)]
})
afterAll(() => rm(folder, { recursive: true }))

describe('rotation.json', () => {
  it('is read back in every phase, and is absent in old states', () => {
    const trusted = states.map((state) => trustedAuthorities(state).length)
    expect(trusted).toEqual([1, 2, 2, 1, 1, 2])
    for (const state of states) {
      const files = encodeState(state)
      const read = decodeState(files, 'here')
      expect(stateDifferences(read, state)).toEqual([])
      expect([...encodeState(read)]).toEqual([...files])
      expect(String(files.get('authority.crt'))).toBe(trustedAuthorities(state).join(''))
    }
    expect(states.map((state) => encodeState(state).has('rotation.json'))).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ])
  })

  it('differs between phases and shows no key', () => {
    const [before, trust, move] = states
    expect(before && trust && stateDifferences(before, trust)).toEqual([
      'the rotation of the authority differs',
    ])
    const [paused] = states.slice(-1)
    expect(trust && paused && stateDifferences(trust, paused)).toEqual([
      'the rotation of the authority differs',
    ])
    expect(trust && move && stateDifferences(trust, move).join('\n')).toMatch(
      /^the authority differs: here [0-9A-F:]+, there [0-9A-F:]+\nthe rotation of the authority differs$/,
    )
  })

  it('keeps the old key until the new one signs, and no longer', () => {
    const [before, trust, move] = states.map((state) =>
      [...encodeState(state).values()].map(String).join('').replaceAll('\\n', '\n'),
    )
    const old = states[0]?.authority?.key.reveal() ?? 'none'
    const made = next.key.reveal()
    const has = (text: string | undefined) => [text?.includes(old), text?.includes(made)]
    expect([before, trust, move].map(has)).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
  })

  it('is required for another authority', async () => {
    const place = { directory: folder, cluster: 'alpha' }
    let disk = emptyState
    for (const state of states.slice(0, 5)) {
      await saveState({ ...place, before: disk, after: state })
      disk = state
    }
    expect(stateDifferences((await readState(place))?.state ?? emptyState, disk)).toEqual([])
    const crt = await readFile(join(folder, '.muster/alpha/authority.crt'), 'utf8')
    expect(crt).toBe(next.certificate)
    const other = await createAuthority({ cluster: 'alpha', now })
    await expect(
      saveState({ ...place, before: disk, after: { ...disk, authority: other } }),
    ).rejects.toMatchObject({ code: 'authority-replaced' })
    const trust = beginRotation(disk, next)
    await saveState({ ...place, before: disk, after: trust })
    await expect(
      saveState({ ...place, before: trust, after: { ...trust, authority: other } }),
    ).rejects.toMatchObject({ code: 'authority-replaced' })
  })

  it('is rejected if authority.crt lacks its certificate', () => {
    const [, trust] = states
    if (trust === undefined) throw new Error('no state')
    const files = new Map(encodeState(trust)).set(
      'authority.crt',
      Buffer.from(trust.authority?.certificate ?? ''),
    )
    expect(() => decodeState(files, 'here')).toThrow(
      'authority.crt in here does not end with the authority of rotation.json',
    )
  })

  it.each([
    ['{', 'is not JSON'],
    ['{"version":2}', 'has a version that this muster does not support'],
    ['{"version":1}', 'has no valid list of retired authorities'],
    ['{"version":1,"retired":["x"]}', 'has no valid list of retired authorities'],
    ['{"version":1,"retired":[],"phase":"back"}', 'has a phase that this muster does not support'],
    ['{"version":1,"retired":[],"phase":"move"}', 'has no certificate of the other authority'],
  ])('is reported as invalid: %s', (text, words) => {
    expect(decodeRotation(Buffer.from(text))).toBe(words)
  })

  it('is rejected with the name of an invalid authority', () => {
    const [, trust] = states
    const content = JSON.parse(String(encodeRotation(trust ?? emptyState)))
    const read = (changes: object) => decodeRotation(Buffer.from(JSON.stringify({ ...content, ...changes })))
    expect(read({ key: undefined })).toBe('has no key of the new authority')
    const foreign = states[0]?.authority?.key.reveal()
    expect(read({ key: foreign })).toBe(
      'cannot be used: the new authority has a key that does not belong to its certificate',
    )
  })
})
