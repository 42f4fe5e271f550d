import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './support/clusterFile.ts'
import { createOperator, type Operator, type Outcome } from './support/operator.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** Two control machines with a folder of their own. Each test goes on where the last one ended. */
describe.skipIf(process.platform !== 'linux')('two shards of a cluster (needs Linux)', () => {
  let world: World
  let second: Operator
  const authority = ({ directory }: Pick<Operator, 'directory'>) =>
    readFileSync(join(directory, '.muster/alpha/authority.crt'), 'utf8')
  const byThem = (command: string, argv: readonly string[]): Promise<Outcome> => {
    const runtime =
      command === 'install' || command === 'plan' ? ['--runtime-file', join(world.folder, 'node')] : []
    const yes = command === 'plan' || command === 'state' ? [] : ['--yes']
    return second.muster([command, ...yes, ...runtime, ...argv, 'alpha.yaml'])
  }
  const installed = () => world.hosts.filter(({ directory }) => existsSync(directory)).map(({ name }) => name)

  beforeAll(async () => {
    // By their names, db1 and db3 are in the first of two shards, and db2 and db4 in the second.
    world = await createWorld(4)
    mkdirSync(join(world.folder, 'second'))
    second = createOperator(join(world.folder, 'second'))
    second.write('alpha.yaml', clusterFile({ hosts: world.hosts }))
  })
  afterAll(() => world?.close())

  it('are refused where each would make an authority and a password of its own', async () => {
    const before = world.hosts.map(({ directory }) => snapshot(join(directory, '../..')))
    for (const outcome of [
      await world.muster('install', ['--shard', '1/2']),
      await byThem('install', ['--shard', '2/2']),
      await byThem('plan', ['--shard', '2/2']),
    ]) {
      expect(outcome).toMatchObject({ code: 1 })
      expect(outcome.stderr).toMatch(
        /error: a run with --shard [12]\/2 would make the certificate authority and the password of admin, which all shards share, and \S+\/\.muster\/alpha does not have \[shared-by-all\]\n {2}fix: if another machine has it/,
      )
    }
    expect(world.hosts.map(({ directory }) => snapshot(join(directory, '../..')))).toEqual(before)
    expect(existsSync(join(second.directory, '.muster'))).toBe(false)
  })

  it('are installed at once from two machines that share the first state', async () => {
    expect(await world.muster('install', ['--host', 'db1'])).toMatchObject({ code: 0 })
    const passphrase = second.write('passphrase', 'five words for a state\n')
    const archive = join(second.directory, 'alpha.state')
    const words = ['--passphrase-file', passphrase]
    expect(await world.muster('state', ['export', '--out', archive, ...words])).toMatchObject({ code: 0 })
    expect(await byThem('state', ['import', '--from', archive, ...words])).toMatchObject({ code: 0 })
    const [ours, theirs] = await Promise.all([
      world.muster('install', ['--shard', '1/2']),
      byThem('install', ['--shard', '2/2']),
    ])
    expect(ours, ours.stderr).toMatchObject({ code: 0 })
    expect(theirs, theirs.stderr).toMatchObject({ code: 0 })
    expect(installed()).toEqual(['db1', 'db2', 'db3', 'db4'])
    expect(authority(second)).toBe(authority(world.operator))
    for (const { directory } of world.hosts) {
      const leaf = new X509Certificate(readFileSync(join(directory, 'share/tls/chain.pem')))
      expect(leaf.verify(new X509Certificate(authority(second)).publicKey)).toBe(true)
    }
    const plans = [await world.muster('plan', ['--shard', '1/2']), await byThem('plan', ['--shard', '2/2'])]
    expect(plans.map(({ stdout }) => stdout)).toEqual([
      'alpha: nothing to do on db1 and db3.\ndb2 and db4: not selected\n',
      'alpha: nothing to do on db2 and db4.\ndb1 and db3: not selected\n',
    ])
    // The password of all hosts is changed by one machine alone.
    const rotated = await second.muster(['users', 'rotate', 'admin', '--yes', '--shard', '2/2', 'alpha.yaml'])
    expect(rotated.code).toBe(1)
    expect(rotated.stderr).toContain('--shard 2/2 would make the password of admin')
    expect(await world.muster('users', ['verify', '--shard', '1/2'])).toMatchObject({ code: 0 })
  })

  it('are the same for every command, and may be empty', async () => {
    const [first, other] = [
      await world.muster('restart', ['--shard', '1/2']),
      await world.muster('restart', ['--shard', '2/2']),
    ]
    expect(first.stdout).toMatch(/^db1 .*\ndb3 /m)
    expect(other.stdout).toMatch(/^db2 .*\ndb4 /m)
    const none = { code: 0, stdout: '', stderr: 'nothing to do: shard 2/2 has none of these hosts\n' }
    for (const command of ['install', 'plan', 'restart', 'status', 'check']) {
      expect(await world.muster(command, ['--shard', '2/2', '--host', 'db1,db3'])).toEqual(none)
    }
    expect(await world.muster('install', ['--shard', '3/2'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: --shard 3/2 is not a part K/N with K from 1 to N and N at most 1000.\n  fix: Use for example --shard 2/5 for the second of five parts.\n',
    })
  })
})
