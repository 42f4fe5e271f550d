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
import type { InstallationFacts } from '../../../src/deployment/facts/model.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { byTurn } from '../../../src/deployment/releases/kept.ts'
import { removeScript, switchScript } from '../../../src/deployment/releases/scripts.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'

describe.skipIf(process.platform !== 'linux')('the releases of a folder (needs Linux)', () => {
  let root = ''
  let transport: Transport
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "muster rel'-"))
    for (const id of ['a', 'b']) {
      mkdirSync(join(root, 'runtimes', id), { recursive: true })
      writeFileSync(join(root, 'runtimes', id, '.complete'), '')
      mkdirSync(join(root, 'releases', id), { recursive: true })
      writeFileSync(join(root, 'releases', id, '.complete'), '')
      symlinkSync(`../../runtimes/${id}/node`, join(root, 'releases', id, 'node'))
    }
    transport = await connectLocal({ host: 'here', env: process.env })
  })
  afterEach(async () => {
    await transport.close()
    rmSync(root, { recursive: true, force: true })
  })

  const layout = () => layoutOf(root)
  const script = async (text: string): Promise<void> => {
    const { code, stderr } = await transport.run(text)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
  const switchTo = (id: string) => script(`set -e\n${switchScript(layout(), id)}`)
  const installation = async (): Promise<InstallationFacts> => {
    const facts = await gatherFacts(transport, { cluster: 'alpha', layout: layout(), hostStores: [] })
    return facts.installation
  }
  /** Runs a program until it is told to end. */
  const running = async (program: string, args: readonly string[], work: () => Promise<void>) => {
    const child = spawn(program, args, { stdio: 'ignore' })
    await once(child, 'spawn')
    await work().finally(() => child.kill('SIGKILL'))
    await once(child, 'close')
  }

  it('knows in which order they were current and since when', async () => {
    await switchTo('a')
    await switchTo('b')
    expect((await installation()).currentRelease).toBe('b')
    await switchTo('a')
    const { releases, ...facts } = await installation()
    expect(facts.currentRelease).toBe('a')
    expect(releases).toEqual([
      { id: 'a', turn: 3, since: expect.any(String), node: '../../runtimes/a/node', nodeThere: false },
      { id: 'b', turn: 2, since: expect.any(String), node: '../../runtimes/b/node', nodeThere: false },
    ])
    const age = Date.now() - Date.parse(releases[0]?.since ?? '')
    expect(Math.abs(age)).toBeLessThan(60_000)
    expect(byTurn({ ...facts, releases }).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(readdirSync(join(root, 'releases', 'a')).sort()).toEqual(['.activated', '.complete', 'node'])
  })

  it('puts the one that ran before anybody wrote that down before the new one', async () => {
    symlinkSync('releases/a', join(root, 'current'))
    writeFileSync(join(root, 'releases', 'b', '.activated'), 'no number')
    await switchTo('b')
    expect((await installation()).releases.map(({ id, turn }) => [id, turn])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    expect(readlinkSync(join(root, 'current'))).toBe('releases/b')
  })

  it('removes what it is told, but for what is current', async () => {
    await switchTo('b')
    mkdirSync(join(root, 'releases', '.old-x'))
    await script(removeScript(layout(), ['releases/a', 'runtimes/a', 'releases/b', 'releases/gone']))
    expect(readdirSync(join(root, 'releases'))).toEqual(['b'])
    expect(readdirSync(join(root, 'runtimes'))).toEqual(['b'])
  })

  it('sees what a process runs and what its command line names, and leaves both', async () => {
    const own = join(root, 'runtimes', 'a', 'node')
    copyFileSync('/bin/sleep', own)
    await running(own, ['1000'], async () => {
      expect((await installation()).inUse).toEqual(['runtimes/a'])
      const program = join(root, 'releases', 'b', 'muster-api.cjs')
      await running(process.execPath, ['-e', 'setInterval(() => 0, 1e6)', program], async () => {
        expect((await installation()).inUse).toEqual(['releases/b', 'runtimes/a'])
        await script(removeScript(layout(), ['releases/a', 'releases/b', 'runtimes/a', 'runtimes/b']))
      })
    })
    expect(existsSync(own)).toBe(true)
    expect(readdirSync(join(root, 'releases'))).toEqual(['b'])
    expect(readdirSync(join(root, 'runtimes'))).toEqual(['a'])
    expect(readFileSync(own).equals(readFileSync('/bin/sleep'))).toBe(true)
  })
})
