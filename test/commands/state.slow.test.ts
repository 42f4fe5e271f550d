import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../src/cli/context.ts'
import { stateExport, stateImport } from '../../src/commands/state.ts'
import { sealArchive } from '../../src/deployment/state/archive.ts'
import { emptyState, withUser } from '../../src/deployment/state/clusterState.ts'
import { lockState } from '../../src/deployment/state/lockState.ts'
import { openState, readState, saveState } from '../../src/deployment/state/openState.ts'
import { stateDifferences } from '../../src/deployment/state/stateDifferences.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { sampleState } from '../deployment/state/sampleState.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const passphrase = new Secret('five random words of text')
const state = await sampleState()

/** A command's world in a folder of its own; `said` is everything it printed since the last look. */
function world() {
  const cwd = temporaryFolder()
  let printed = ''
  const output = { write: (text: string) => (printed += text) }
  const context: CommandContext = {
    stdin: Readable.from([]),
    stdout: output,
    stderr: output,
    env: {},
    cwd,
    now: () => new Date('2026-03-10T12:00:00Z'),
    signal: new AbortController().signal,
    packageDirectory: cwd,
    version: '0.0.0',
  }
  const said = (): string => {
    const text = printed
    printed = ''
    return text.replaceAll(cwd, '<folder>')
  }
  return { cwd, said, options: { context, directory: cwd, cluster: 'alpha', passphrase } }
}

const sealed = await sealArchive({ cluster: 'alpha', state, passphrase, logN: 10 })

/** A world with a state. */
async function installed() {
  const made = world()
  await saveState({ ...made.options, before: emptyState, after: state })
  return made
}

/** A world with an archive of that state, and without any state. */
function elsewhere() {
  const made = world()
  const archive = join(temporaryFolder(), 'alpha.state')
  writeFileSync(archive, sealed)
  return { to: made, archive }
}

describe('muster state export', () => {
  it('writes one file that only the owner can read, and describes it', async () => {
    const from = await installed()
    const archive = join(from.cwd, 'alpha.state')
    expect(await stateExport({ ...from.options, out: 'alpha.state' })).toBe(0)
    expect(from.said()).toBe(
      "wrote <folder>/alpha.state (encrypted). It contains the authority's key and generated passwords: store it and its passphrase separately\n",
    )
    expect(statSync(archive).mode & 0o777).toBe(0o600)
    expect(readdirSync(from.cwd).sort()).toEqual(['.muster', 'alpha.state'])
    const to = world()
    expect(await stateImport({ ...to.options, from: archive })).toBe(0)
    expect(stateDifferences((await readState(to.options))?.state ?? emptyState, state)).toEqual([])
  })

  it('never overwrites a file', async () => {
    const from = await installed()
    const archive = join(from.cwd, 'alpha.state')
    writeFileSync(archive, 'precious')
    expect(await stateExport({ ...from.options, out: 'alpha.state' })).toBe(3)
    expect(from.said()).toBe(
      'error: <folder>/alpha.state already exists (already-exists)\n' +
        '  fix: use another name with --out, or delete the file first\n',
    )
    expect(readFileSync(archive, 'utf8')).toBe('precious')
  })

  it('fails without a state, and creates none', async () => {
    const { options, said, cwd } = world()
    expect(await stateExport({ ...options, out: 'alpha.state' })).toBe(3)
    expect(said()).toBe(
      'error: cluster `alpha` has no state to export: <folder>/.muster/alpha does not exist or is empty (no-state)\n' +
        '  fix: Run this on the machine that installed the cluster.\n',
    )
    expect(readdirSync(cwd)).toEqual([])
  })

  it('exits with 5 without waiting if another run holds the state', async () => {
    const from = await installed()
    const { to, archive } = elsewhere()
    const lock = await lockState(from.options)
    expect(await stateExport({ ...from.options, out: 'second.state' })).toBe(5)
    expect(from.said()).toContain(`process ${process.pid}`)
    await lock.release()
    await lockState(to.options)
    expect(await stateImport({ ...to.options, from: archive })).toBe(5)
  })
})

describe('muster state import', () => {
  it('imports the whole state, and finds nothing to do the second time', async () => {
    const { to, archive } = elsewhere()
    expect(await stateImport({ ...to.options, from: archive })).toBe(0)
    expect(to.said()).toBe('imported the state of cluster `alpha` into <folder>/.muster/alpha\n')
    expect(stateDifferences((await readState(to.options))?.state ?? emptyState, state)).toEqual([])
    expect(readdirSync(join(to.cwd, '.muster', 'alpha')).sort()).toEqual([
      'authority.crt',
      'authority.key',
      'exported',
      'hosts',
      'machines.json',
      'secrets.json',
    ])
    expect(await stateImport({ ...to.options, from: archive })).toBe(0)
    expect(to.said()).toBe('nothing to do: <folder>/.muster/alpha already has this state\n')
  })

  it('never overwrites another state, and lists the differences', async () => {
    const { to, archive } = elsewhere()
    const { authority: _, ...rest } = state
    const hosts = new Map([...state.hosts].slice(0, 1))
    const mine = withUser({ ...rest, hosts }, 'admin', { salt: Buffer.alloc(16, 9) })
    await saveState({ ...to.options, before: emptyState, after: mine })
    expect(await stateImport({ ...to.options, from: archive })).toBe(1)
    expect(to.said()).toBe(
      'error: <folder>/.muster/alpha has a different state than the archive, and muster never overwrites a state (already-exists)\n' +
        '  - the authority: only there\n' +
        '  - the stores of host db2: only there\n' +
        '  - the stored data of user admin differs\n' +
        '  fix: To use the state of the archive, move <folder>/.muster/alpha away first.\n',
    )
    expect(stateDifferences((await openState(to.options)).state, mine)).toEqual([])
  })

  it.each([
    [1, 'wrong-passphrase', { passphrase: new Secret('another five random words') }],
    [1, 'archive-of-other-cluster', { cluster: 'beta' }],
    [3, 'not-an-archive', { from: 'absent.state' }],
  ])('exits with %i and changes nothing for %s', async (code, word, changes) => {
    const { to, archive } = elsewhere()
    expect(await stateImport({ ...to.options, from: archive, ...changes })).toBe(code)
    const said = to.said()
    expect(said).toMatch(new RegExp(`^error: .+ \\(${word}\\)\n  fix: .+\n$`))
    expect(said).not.toMatch(/random words/)
    expect(readdirSync(to.cwd)).toEqual([])
  })

  it('refuses a damaged archive', async () => {
    const { to, archive } = elsewhere()
    const bytes = readFileSync(archive)
    const cut = join(to.cwd, 'cut.state')
    writeFileSync(cut, bytes.subarray(0, -100))
    expect(await stateImport({ ...to.options, from: cut })).toBe(1)
    expect(to.said()).toContain('was modified or truncated')
  })
})
