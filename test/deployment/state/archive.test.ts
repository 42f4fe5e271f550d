import { describe, expect, it } from 'vitest'
import { openArchive, sealArchive } from '../../../src/deployment/state/archive.ts'
import { stateDifferences } from '../../../src/deployment/state/stateDifferences.ts'
import { encodeState } from '../../../src/deployment/state/stateFiles.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { sampleState } from './sampleState.ts'

const passphrase = new Secret('five random words of text')
const state = await sampleState()
const seal = (changes: object = {}) =>
  sealArchive({ cluster: 'alpha', state, passphrase, logN: 10, ...changes })
const archive = await seal()
const open = (changes: object = {}) =>
  openArchive({ name: 'alpha.state', cluster: 'alpha', archive, passphrase, ...changes })
const headerEnd = archive.indexOf('\n') + 1
const header = (change: (fields: Record<string, unknown>) => void): Buffer => {
  const fields = JSON.parse(archive.toString('utf8', 'muster-state '.length, headerEnd)) as Record<
    string,
    unknown
  >
  change(fields)
  const line = Buffer.from(`muster-state ${JSON.stringify(fields)}\n`)
  return Buffer.concat([line, archive.subarray(headerEnd)])
}
const flipped = (at: number): Buffer => {
  const copy = Buffer.from(archive)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

describe('a state archive', () => {
  it('contains the whole state', async () => {
    const opened = await open()
    expect(stateDifferences(opened, state)).toEqual([])
    expect([...encodeState(opened)]).toEqual([...encodeState(state)])
  })

  it('opens with the passphrase in another Unicode form', async () => {
    const composed = new Secret('h\u00e9llo h\u00e9llo')
    const sealed = await seal({ passphrase: new Secret('he\u0301llo he\u0301llo') })
    await expect(open({ archive: sealed, passphrase: composed })).resolves.toBeDefined()
  })

  it('shows only its cluster and cost unencrypted', async () => {
    const usual = await seal({ logN: undefined })
    const line = usual.toString('utf8', 0, usual.indexOf('\n') + 1)
    expect(line).toMatch(
      /^muster-state \{"version":1,"cluster":"alpha","logN":17,"r":8,"p":1,"salt":"[\w+/]{22}==","nonce":"[\w+/]{16}","check":"[\w+/]{11}="\}\n$/,
    )
    const text = archive.toString('latin1')
    // Long enough that encrypted bytes do not say it by chance.
    expect(text).not.toMatch(/PRIVATE|CERTIFICATE|made-password|"db1"/)
  })

  it('is encrypted with another key each time', async () => {
    const again = await seal()
    expect(again.subarray(headerEnd, headerEnd + 64)).not.toEqual(archive.subarray(headerEnd, headerEnd + 64))
  })

  it('is not written with a short passphrase', async () => {
    await expect(seal({ passphrase: new Secret('hunter2') })).rejects.toMatchObject({
      code: 'weak-passphrase',
    })
  })

  it.each([
    ['wrong-passphrase', { passphrase: new Secret('another five random words') }],
    ['archive-of-other-cluster', { cluster: 'beta' }],
    ['not-an-archive', { archive: Buffer.from('hello\n') }],
    ['not-an-archive', { archive: Buffer.alloc(0) }],
    ['not-an-archive', { archive: header((fields) => Object.assign(fields, { version: 2 })) }],
    ['not-an-archive', { archive: header((fields) => Object.assign(fields, { logN: 40 })) }],
    ['archive-damaged', { archive: flipped(headerEnd) }],
    ['archive-damaged', { archive: flipped(archive.length - 1) }],
    ['archive-damaged', { archive: archive.subarray(0, -1) }],
    ['archive-damaged', { archive: archive.subarray(0, headerEnd) }],
    ['archive-damaged', { archive: header((fields) => Object.assign(fields, { extra: 1 })) }],
  ])('is rejected as %s', async (code, changes) => {
    await expect(open(changes)).rejects.toMatchObject({ name: 'StateError', code })
  })

  it('is bound to its cluster by the authenticated header', async () => {
    const renamed = header((fields) => Object.assign(fields, { cluster: 'beta' }))
    await expect(open({ archive: renamed, cluster: 'beta' })).rejects.toMatchObject({
      code: 'archive-damaged',
    })
  })
})
