import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import { lockState } from '../../../src/deployment/state/lockState.ts'
import { openState, saveState } from '../../../src/deployment/state/openState.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { sampleState } from './sampleState.ts'
import { countOf, runHosts, tornHosts } from './stateRun.ts'

/** Runs and looks of all processes, and processes that are killed at any moment among them. */
const [total, kills] = [100, 10]

describe('the state of several runs at once', () => {
  it('loses nothing that one of them saved, whatever moment a process is killed in', async () => {
    const folder = temporaryFolder()
    const [directory, claims] = [temporaryFolder(), join(folder, 'claims')]
    const place = { directory, cluster: 'alpha' }
    const { state: before } = await openState(place)
    const sample = await sampleState()
    await saveState({ ...place, before, after: { ...sample, machines: emptyState.machines } })
    const program = join(folder, 'stateRun.mjs')
    await build({
      entryPoints: [new URL('stateRun.ts', import.meta.url).pathname],
      ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    })
    const problems: string[] = []
    let did = 0
    let done = (): void => undefined
    const over = new Promise<void>((resolve) => {
      done = resolve
    })
    const children = new Set<ChildProcess>()
    let killed = 0
    const begin = (kind: 'run' | 'look'): void => {
      const child = spawn(process.execPath, [program, directory, claims, kind], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.add(child)
      let left = kind === 'run' ? 3 + Math.floor(Math.random() * 20) : Number.POSITIVE_INFINITY
      createInterface(child.stdout).on('line', (line) => {
        if (line.startsWith('problem: ')) problems.push(line)
        did += 1
        left -= 1
        if (did >= total && killed >= kills) done()
        else if (left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 20)
      })
      child.once('exit', () => {
        children.delete(child)
        killed += 1
        if (did < total || killed < kills) begin(kind)
        else done()
      })
    }
    for (const kind of ['run', 'run', 'run', 'look'] as const) begin(kind)
    await over
    await Promise.all(
      [...children].map((child) => {
        child.kill('SIGKILL')
        return once(child, 'exit')
      }),
    )
    expect(problems).toEqual([])
    await (await lockState(place, { operation: 'state export' })).release()
    const { state } = await openState(place)
    expect(tornHosts(state)).toEqual([])
    const saved = readFileSync(join(claims, 'saved'), 'utf8').trim().split('\n')
    for (const line of saved) {
      const [host = '', count] = line.split(' ')
      expect(countOf(state, host)).toBeGreaterThanOrEqual(Number(count))
    }
    for (const host of runHosts) expect(countOf(state, host)).toBeGreaterThan(0)
    const left = readdirSync(join(directory, '.muster', 'alpha')).filter((name) => /^(lock|[.])/.test(name))
    expect(left).toEqual([])
  })
})
