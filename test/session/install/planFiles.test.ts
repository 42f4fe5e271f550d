import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SavedPlan } from '../../../src/deployment/savedPlan/savedPlan.ts'
import { readPlan, savedPlanText, writePlan } from '../../../src/session/install/planFiles.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const plan: SavedPlan = { cluster: 'alpha', saved: '', muster: '1.0.0', services: '', left: [], hosts: [] }
const place = () => {
  const cwd = temporaryFolder()
  return { cwd, ...commandContext({ cwd }) }
}

describe('a plan file', () => {
  it('is readable only by its owner, and atomically replaces an older or a damaged one', async () => {
    const { cwd, context } = place()
    const path = join(cwd, 'alpha.plan')
    await writePlan(context, 'alpha.plan', plan)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await readPlan(context, 'alpha.plan')).toEqual(plan)
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 60), { mode: 0o644 })
    await expect(readPlan(context, 'alpha.plan')).rejects.toThrow('alpha.plan is damaged or was edited')
    await writePlan(context, path, { ...plan, muster: '2.0.0' })
    expect(await readPlan(context, path)).toMatchObject({ muster: '2.0.0' })
    expect(readdirSync(cwd)).toEqual(['alpha.plan'])
  })

  it('never replaces another file', async () => {
    const { cwd, context } = place()
    mkdirSync(join(cwd, 'folder'))
    writeFileSync(join(cwd, 'alpha.yaml'), 'cluster: alpha\n')
    symlinkSync('alpha.yaml', join(cwd, 'link'))
    for (const name of ['folder', 'alpha.yaml', 'link', '/dev/null']) {
      await expect(writePlan(context, name, plan)).rejects.toThrow(`${name} already exists and is not a plan`)
    }
    await expect(writePlan(context, 'none/alpha.plan', plan)).rejects.toThrow('its folder does not exist')
    expect(readFileSync(join(cwd, 'alpha.yaml'), 'utf8')).toBe('cluster: alpha\n')
  })

  it.each([
    ['none', 'none does not exist.'],
    ['.', '. is a folder.'],
    ['/dev/null', '/dev/null is not a regular file.'],
  ])('is not read from %s', async (name, message) => {
    await expect(readPlan(place().context, name)).rejects.toThrow(message)
  })

  it('is printed with the command that applies it', () => {
    const options = {
      out: 'my plan',
      files: ['a.yaml', 'b.yaml'],
      set: [],
      runtimeFile: undefined,
      replaced: [],
    }
    expect(savedPlanText(options)).toBe(
      "\nThe plan is saved in my plan. Apply it with this command:\n  muster install --plan 'my plan' a.yaml b.yaml\n",
    )
    const more = { set: ['rest-api-admin-pass=hunter2'], runtimeFile: '/n', replaced: ['db2'] }
    expect(savedPlanText({ ...options, ...more })).toBe(
      "\nThe plan is saved in my plan. Apply it with this command and the same --set:\n  muster install --plan 'my plan' --runtime-file /n --replaced db2 a.yaml b.yaml\n",
    )
  })
})
