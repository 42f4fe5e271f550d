import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** Each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('a full disk of one installed host (needs Linux)', () => {
  let world: World
  const everything = () => world.hosts.map(({ directory }) => snapshot(join(directory, 'share')))
  const df = () => join(world.host('db3').tools, 'df')
  const full = /db3[\s\S]*has\s+0\s+MiB\s+free,\s+but\s+a\s+change\s+needs\s+16\s+MiB/

  beforeAll(async () => {
    world = await createWorld(3)
    const { code, stderr } = await world.muster('install')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(df(), '#!/bin/sh\necho Filesystem\necho "/dev/sda 100 100 0 100% /"\n', { mode: 0o755 })
  })
  afterAll(() => world?.close())

  it('is a failure of check, and no reason to refuse what changes nothing', async () => {
    const { code, stdout } = await world.muster('check', ['--json'])
    expect({ code, full: full.test(stdout) }).toEqual({ code: 1, full: true })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })

  it('refuses a change before the first host is altered, and drift and plan say the same', async () => {
    const before = everything()
    world.describe({ defaults: { 'log-level': 'debug' } })
    const plan = await world.muster('plan')
    expect([plan.code, plan.stdout + plan.stderr]).toEqual([1, expect.stringMatching(full)])
    const drift = await world.muster('drift')
    expect([drift.code, drift.stdout]).toEqual([2, expect.stringMatching(full)])
    const { code, stdout, stderr } = await world.muster('install')
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(full)])
    expect(stderr).toContain('Nothing was changed.')
    expect(everything()).toEqual(before)
  })

  it('ends with the space', async () => {
    rmSync(df())
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
})
