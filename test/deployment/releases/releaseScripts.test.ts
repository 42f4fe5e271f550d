import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gatherFacts } from '../../../src/deployment/facts/gather.ts'
import type { InstallationFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { releasesByRecency } from '../../../src/deployment/releases/chooseRelease.ts'
import { removeScript, switchScript } from '../../../src/deployment/releases/releaseScripts.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { rawResult } from '../../support/rawResult.ts'

const [a, b] = ['1.0.0-aaaaaaaaaaaa', '1.0.1-bbbbbbbbbbbb']

describe.skipIf(process.platform !== 'linux')('the release scripts (needs Linux)', () => {
  let root = ''
  let transport: Transport
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "muster rel'-"))
    for (const [id, runtime] of [
      [a, 'node-a'],
      [b, 'node-b'],
    ] as const) {
      mkdirSync(join(root, 'runtimes', runtime), { recursive: true })
      writeFileSync(join(root, 'runtimes', runtime, '.complete'), '')
      mkdirSync(join(root, 'releases', id), { recursive: true })
      writeFileSync(join(root, 'releases', id, '.complete'), '')
      symlinkSync(`../../runtimes/${runtime}/node`, join(root, 'releases', id, 'node'))
    }
    transport = await connectLocal({ host: 'here', env: process.env })
  })
  afterEach(async () => {
    await transport.close()
    rmSync(root, { recursive: true, force: true })
  })

  const layout = () => layoutOf(root)
  const script = async (text: string): Promise<void> => {
    const { code, stderr } = rawResult(await transport.run(text))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
  const switchTo = (id: string) => script(`set -e\n${switchScript(layout(), id)}`)
  const installation = async (): Promise<InstallationFacts> => {
    const facts = await gatherFacts(transport, { cluster: 'alpha', layout: layout(), hostStores: [] })
    return facts.installation
  }

  it('record when and in which order releases became current', async () => {
    await switchTo(a)
    await switchTo(b)
    expect((await installation()).currentRelease).toBe(b)
    await switchTo(a)
    const { releases, ...facts } = await installation()
    expect(facts.currentRelease).toBe(a)
    expect(releases).toEqual([
      { id: a, turn: 3, since: expect.any(String), node: '../../runtimes/node-a/node', nodeThere: false },
      { id: b, turn: 2, since: expect.any(String), node: '../../runtimes/node-b/node', nodeThere: false },
    ])
    const age = Date.now() - Date.parse(releases[0]?.since ?? '')
    expect(Math.abs(age)).toBeLessThan(60_000)
    expect(releasesByRecency({ ...facts, releases }).map(({ id }) => id)).toEqual([a, b])
    expect(readdirSync(join(root, 'releases', a)).sort()).toEqual(['.activated', '.complete', 'node'])
  })

  it('order an unrecorded release before the new one', async () => {
    symlinkSync(`releases/${a}`, join(root, 'current'))
    writeFileSync(join(root, 'releases', b, '.activated'), 'no number')
    await switchTo(b)
    expect((await installation()).releases.map(({ id, turn }) => [id, turn])).toEqual([
      [a, 1],
      [b, 2],
    ])
    expect(readlinkSync(join(root, 'current'))).toBe(`releases/${b}`)
  })

  it('remove releases except the current one', async () => {
    await switchTo(b)
    mkdirSync(join(root, 'releases', '.old-x'))
    await script(
      removeScript(layout(), [`releases/${a}`, 'runtimes/node-a', `releases/${b}`, 'releases/gone']),
    )
    expect(readdirSync(join(root, 'releases'))).toEqual([b])
    expect(readdirSync(join(root, 'runtimes'))).toEqual(['node-b'])
  })

  it('remove a release that a process still runs, which keeps its open files', async () => {
    const own = join(root, 'runtimes', 'node-a', 'node')
    copyFileSync('/bin/sleep', own)
    const child = spawn(own, ['1000'], { stdio: 'ignore' })
    await once(child, 'spawn')
    try {
      await script(removeScript(layout(), [`releases/${a}`, 'runtimes/node-a']))
      expect(existsSync(own)).toBe(false)
      expect(readFileSync(`/proc/${child.pid}/exe`).equals(readFileSync('/bin/sleep'))).toBe(true)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
  })
})
