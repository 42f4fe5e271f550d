import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onTerminal } from './support/onTerminal.ts'
import { createWorld, type World } from './support/world.ts'

/** The blocks that --watch printed. */
const verdicts = (text: string): readonly string[] => text.match(/^(?:OK|DEGRADED|DOWN|UNKNOWN)\b.*$/gm) ?? []

describe.skipIf(process.platform !== 'linux')('the status of a cluster (needs Linux)', () => {
  let world: World

  beforeAll(async () => {
    world = await createWorld(2)
    world.describe()
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  it('is shown again when it changes, and only then, over connections that stay open', async () => {
    const stop = new AbortController()
    const logins = () => world.host('db2').server.logins().length
    let shown = ''
    let before: number | undefined
    const { code, stdout } = await world.operator.muster(['status', '--watch', 'alpha.yaml'], {
      signal: stop.signal,
      watch: (text) => {
        shown += text
        const { length } = verdicts(shown)
        if (length === 1 && before === undefined) {
          before = logins()
          process.kill(world.host('db2').pids().connector ?? 0, 'SIGKILL')
        }
        if (length === 2) stop.abort()
      },
    })
    expect(code).toBe(130)
    expect(verdicts(stdout)).toEqual(['OK', 'DEGRADED: connector of db2 is stopped'])
    expect(logins()).toBe(before)
  })

  it('is redrawn in place on a terminal, until Ctrl-C', async () => {
    const { raw, code } = await onTerminal(world.operator, ['status', '--watch', 'alpha.yaml'], (screen) =>
      screen.includes('connector of db2 is stopped') ? '\u0003' : undefined,
    )
    expect(raw.split('\u001b[H\u001b[J')).toHaveLength(2)
    expect(code).toBe(130)
  })

  it('has the same members as JSON and YAML', async () => {
    const json = JSON.parse((await world.muster('status', ['-o', 'json'])).stdout)
    expect(json).toMatchObject({
      cluster: 'alpha',
      verdict: { level: 'degraded', problems: [{ text: 'connector of db2 is stopped', host: 'db2' }] },
      hosts: [{ host: 'db1', connector: { value: 'OFFLINE' } }, { host: 'db2' }],
    })
    expect((await world.muster('status', ['--json'])).stdout).toBe(`${JSON.stringify(json, undefined, 2)}\n`)
    const { stdout } = await world.muster('status', ['-o', 'yaml'])
    expect(stdout).toMatch(
      /^cluster: alpha\nverdict:\n {2}level: degraded\n {2}problems:\n {4}- level: degraded\n/,
    )
    const both = await world.muster('status', ['-o', 'yaml', '--json'])
    expect(both.code).toBe(3)
  })

  it('takes a word that is no file as a host, and says which one is unknown', async () => {
    const one = await world.operator.muster(['status', 'db1', 'alpha.yaml'])
    expect(one).toMatchObject({ code: 0 })
    expect(one.stdout).toMatch(/: 1 host, .*\n\n.*\ndb1 .*\n\nOK\n$/)
    const unknown = await world.operator.muster(['status', 'db7', 'alpha.yaml'])
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain("no host in alpha matches 'db7'")
  })

  it('is drawn as a graph with the other hosts', async () => {
    const graph = async (...more: string[]) => {
      const { code, stdout } = await world.muster('graph', more)
      return { code, stdout }
    }
    const title = 'other hosts, without a database'
    expect(await graph()).toEqual({ code: 0, stdout: `cluster alpha\n\n${title}: db1, db2\n` })
    expect(await graph('--live')).toEqual({ code: 0, stdout: 'cluster alpha\n\nother hosts: db1, db2\n' })
  })
})
