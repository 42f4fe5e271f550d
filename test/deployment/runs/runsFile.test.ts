import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasEnded, type RunRecord, runLine } from '../../../src/deployment/runs/runRecord.ts'
import { appendRun, hasState, readRuns, runsFile } from '../../../src/deployment/runs/runsFile.ts'
import { lockState } from '../../../src/deployment/state/lockState.ts'

const run: RunRecord = {
  ...{ id: '20260102T030405Z-1a2b3c', operation: 'stop', cluster: 'alpha', user: 'ann', machine: 'desk' },
  ...{ pid: 42, version: '1.2.3', started: '2026-01-02T03:04:05.000Z', seconds: 1, exit: 0 },
  ...{ targets: [], hosts: [] },
}

describe('the file of runs', () => {
  let directory: string
  const place = () => ({ directory, cluster: 'alpha' })

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'muster-runs-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('is rotated at its size limit without losing runs', async () => {
    const rule = { bytes: 2 * runLine(run).length, files: 5 }
    const ids = Array.from({ length: 10 }, (_, index) => `${run.id.slice(0, -1)}${index}`)
    for (const id of ids) await appendRun(place(), { ...run, id }, rule)
    expect((await readRuns(place())).map(({ id }) => id)).toEqual(ids)
    expect(readdirSync(dirname(runsFile(place()))).toSorted()).toEqual([
      'runs.jsonl',
      ...['1', '2', '3', '4'].map((number) => `runs.jsonl.${number}`),
    ])
    for (const name of readdirSync(dirname(runsFile(place())))) {
      expect(statSync(join(dirname(runsFile(place())), name)).size).toBeLessThanOrEqual(rule.bytes)
    }
    await appendRun(place(), { ...run, id: 'one more' }, rule)
    expect((await readRuns(place())).map(({ id }) => id)).toEqual([...ids.slice(2), 'one more'])
  })

  it('returns a run once if its start is in the rotated file', async () => {
    const { seconds: _, hosts: __, exit: ___, ...begun } = run
    const rule = { bytes: runLine(begun).length, files: 5 }
    await appendRun(place(), begun, rule)
    await appendRun(place(), run, rule)
    expect(await readRuns(place())).toEqual([run])
  })

  it('keeps runs in order, readable by their owner only', async () => {
    expect(await readRuns(place())).toEqual([])
    await appendRun(place(), run)
    await appendRun(place(), { ...run, id: 'second' })
    expect((await readRuns(place())).map(({ id }) => id)).toEqual([run.id, 'second'])
    expect(statSync(runsFile(place())).mode & 0o777).toBe(0o600)
  })

  it('has the start of a run until its end replaces it', async () => {
    const { seconds: _, hosts: __, exit: ___, ...begun } = run
    await appendRun(place(), { ...begun, id: 'killed' })
    await appendRun(place(), begun)
    await appendRun(place(), run)
    const found = await readRuns(place())
    expect(found.map((one) => [one.id, hasEnded(one)])).toEqual([
      ['killed', false],
      [run.id, true],
    ])
    appendFileSync(runsFile(place()), `${JSON.stringify({ ...begun, exit: 'soon' })}\n`)
    expect(await readRuns(place())).toEqual(found)
  })

  it('loses only a truncated line', async () => {
    await appendRun(place(), run)
    appendFileSync(runsFile(place()), '{"id":"cut')
    await appendRun(place(), { ...run, id: 'after' })
    expect((await readRuns(place())).map(({ id }) => id)).toEqual([run.id, 'after'])
  })

  it('is not written through a link', async () => {
    await appendRun(place(), run)
    rmSync(runsFile(place()))
    symlinkSync(join(directory, 'elsewhere'), runsFile(place()))
    await expect(appendRun(place(), run)).rejects.toMatchObject({ name: 'StateError' })
    await expect(readRuns(place())).rejects.toMatchObject({ name: 'StateError' })
  })

  it('is distinguished from a folder with only the lock', async () => {
    expect(await hasState(place())).toBe(false)
    const lock = await lockState(place())
    expect(await hasState(place())).toBe(false)
    await appendRun(place(), run)
    expect(await hasState(place())).toBe(true)
    await lock.release()
  })
})
