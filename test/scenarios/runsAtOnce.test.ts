import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './support/clusterFile.ts'
import { type Ended, runProgram } from './support/program.ts'
import { createWorld, type World } from './support/world.ts'

/** Real processes with one file and one state directory. Each test goes on where the last one ended. */
describe.skipIf(process.platform !== 'linux')('two runs at once in one folder (needs Linux)', () => {
  let world: World
  const file = (name: string) => join(world.operator.directory, name)

  const run = (...argv: readonly string[]): Promise<Ended> => {
    const { directory, env } = world.operator
    const runtime = argv[0] === 'install' ? ['--runtime-file', join(world.folder, 'node')] : []
    return runProgram({
      program: 'muster',
      argv: [...argv, '--yes', ...runtime, 'alpha.yaml'],
      cwd: directory,
      env,
    })
  }

  /** Writes alpha.yaml with a hook that holds each host before its commit until the file `go-on` says so. */
  const describeWith = (script: string): void => {
    const { operator, hosts } = world
    operator.write('alpha.yaml', `${clusterFile({ hosts })}hooks:\n  before-host: !exec [./hold.sh]\n`)
    chmodSync(operator.write('hold.sh', `#!/bin/sh\n${script}\n`), 0o755)
  }

  /** What is on disk of locks when no run goes on. */
  const locks = () => readdirSync(file('.muster/alpha')).filter((name) => name.startsWith('lock'))

  beforeAll(async () => {
    world = await createWorld(4)
    const outcome = await world.muster('install', ['--host', 'db1'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  it('install different hosts, and lose nothing of each other', async () => {
    // Each host waits for the other, so both runs are in the middle of their changes.
    const hosts = ['db2', 'db3', 'db4']
    describeWith(
      `: > "at-$MUSTER_HOST"\n${hosts.map((name) => `while [ ! -e at-${name} ]; do sleep 0.05; done`).join('\n')}`,
    )
    const [one, other] = await Promise.all([
      run('install', '--host', 'db2,db3'),
      run('install', '--host', 'db4'),
    ])
    expect(one, one.stderr).toMatchObject({ code: 0 })
    expect(other, other.stderr).toMatchObject({ code: 0 })
    expect(locks()).toEqual([])
    const { machines, folders } = JSON.parse(readFileSync(file('.muster/alpha/machines.json'), 'utf8'))
    expect(Object.keys(machines)).toEqual(['db1', ...hosts])
    expect(Object.keys(folders)).toEqual(['db1', ...hosts])
    expect(readdirSync(file('.muster/alpha/hosts')).sort()).toEqual(['db1', ...hosts])
    const records = readFileSync(file('.muster/alpha/runs.jsonl'), 'utf8').trimEnd().split('\n')
    expect(
      records
        .map((line) => JSON.parse(line))
        .filter((line) => 'exit' in line)
        .map(({ targets, exit }) => [targets.join(), exit])
        .sort(),
    ).toEqual([
      ['db1', 0],
      ['db2,db3', 0],
      ['db4', 0],
    ])
    const registry = join(world.operator.home, 'config/muster/clusters')
    const [record = ''] = readdirSync(registry)
    const known = JSON.parse(readFileSync(join(registry, record), 'utf8'))
    expect(known.hosts.map(({ name }: { readonly name: string }) => name).sort()).toEqual(['db1', ...hosts])
    const plan = await world.muster('plan')
    expect(plan.stdout).toContain('alpha: nothing to do on 4 hosts.')
    for (const host of hosts) rmSync(file(`at-${host}`))
  })

  it('keep out a third one that shares a host, which is named', async () => {
    describeWith(
      `[ "$MUSTER_HOST" = db4 ] && exit 0\n: > "at-$MUSTER_HOST"\nwhile [ ! -e go-on ]; do sleep 0.05; done`,
    )
    // The hook runs for a host with a change.
    world.operator.write(
      'alpha.yaml',
      readFileSync(file('alpha.yaml'), 'utf8').replace('defaults:\n', 'defaults:\n  log-level: debug\n'),
    )
    const first = run('install', '--host', 'db1,db2')
    const second = run('install', '--host', 'db3')
    try {
      await expect
        .poll(() => ['db1', 'db2', 'db3'].every((name) => existsSync(file(`at-${name}`))))
        .toBe(true)
      const third = await run('restart', '--host', 'db2,db4')
      expect(third.code).toBe(5)
      expect(third.stderr).toMatch(
        /^error: another muster run holds db2: `muster install`, process \d+ on \S+, since \S+Z \[locked\]\n {2}fix: wait until it ends, for example with --lock-wait 5m, or end it: kill \d+\n$/,
      )
      const all = await run('users', 'rotate', 'admin')
      expect(all.code).toBe(5)
      expect(all.stderr).toMatch(
        /^error: another muster run holds db(1 and db2|3): `muster install`, process/,
      )
      const free = await run('restart', '--host', 'db4')
      expect(free, free.stderr).toMatchObject({ code: 0 })
    } finally {
      writeFileSync(file('go-on'), '')
      await Promise.all([first, second])
    }
    expect(await first).toMatchObject({ code: 0 })
    expect(await second).toMatchObject({ code: 0 })
    expect(locks()).toEqual([])
  })
})
