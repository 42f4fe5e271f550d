import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/usageError.ts'
import { muster } from '../../src/commands/muster.ts'
import type { ClusterConfig, HostConfig } from '../../src/config/model.ts'
import { selectTargets, type Targets, withAllHosts, withComponent } from '../../src/session/selectTargets.ts'
import { commandContext } from '../config/commandContext.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const connector: HostConfig['apis'] = [
  { component: 'connector', enabled: true, address: '0.0.0.0', port: 8096 },
]
const config: ClusterConfig = {
  cluster: 'alpha',
  directory: '/operator',
  services: [],
  hosts: [
    hostConfig({ name: 'db1', services: ['east', 'global'] }),
    hostConfig({ name: 'db2', services: ['west', 'global'] }),
    hostConfig({ name: 'db10', services: ['west'] }),
    hostConfig({ name: 'web.example', services: ['west'], apis: connector }),
  ],
}
const select = (targets: Partial<Targets>, of = config) =>
  selectTargets(of, { hosts: [], services: [], ...targets })
const names = ({ hosts }: Pick<ClusterConfig, 'hosts'>) => hosts.map(({ name }) => name)

describe('selectTargets with --shard', () => {
  const shard = (index: number, count: number) => ({ shard: { index, count } })

  it('selects each host in one shard, of those that --host and --service select', () => {
    const two = [1, 2].map((index) => select(shard(index, 2)))
    expect(two.flatMap(names).toSorted()).toEqual(names(config).toSorted())
    for (const part of two) {
      expect(names(withAllHosts(part)).toSorted()).toEqual(names(config).toSorted())
      expect(part.excluded.map(({ name }) => name)).toEqual(
        names(config).filter((name) => !names(part).includes(name)),
      )
    }
    expect(two.map((part) => part.shard)).toEqual(['1/2', '2/2'])
    expect(names(select({ hosts: ['db1,db2'], ...shard(1, 2) }))).toEqual(['db1'])
    expect(names(select({ hosts: ['db1,db2'], ...shard(2, 2) }))).toEqual(['db2'])
    expect(names(select({ hosts: ['db1,db2'], services: ['east'], ...shard(2, 2) }))).toEqual([])
  })

  it('leaves each host in its shard when others are added', () => {
    const more = { ...config, hosts: [hostConfig({ name: 'db0' }), ...config.hosts] }
    const kept = names(select(shard(1, 2), more)).filter((name) => name !== 'db0')
    expect(kept).toEqual(names(select(shard(1, 2))))
  })

  it('selects all hosts for 1/1, which is no shard', () => {
    expect(select(shard(1, 1))).toEqual(select({}))
  })

  it('still refuses a pattern without a match', () => {
    expect(() => select({ hosts: ['db7'], ...shard(1, 2) })).toThrow(UsageError)
  })
})

describe('selectTargets with --host', () => {
  it.each([
    [[], ['db1', 'db2', 'db10', 'web.example']],
    [['db1'], ['db1']],
    [['DB1'], ['db1']],
    [['db*'], ['db1', 'db2', 'db10']],
    [['db?'], ['db1', 'db2']],
    [['db*,!db10'], ['db1', 'db2']],
    [
      ['*.example', 'db2'],
      ['db2', 'web.example'],
    ],
    [
      ['db*', 'db1'],
      ['db1', 'db2', 'db10'],
    ],
  ])('selects for %j the hosts %j', (hosts, expected) => {
    const selected = select({ hosts })
    expect(names(selected)).toEqual(expected)
    expect(names(withAllHosts(selected)).toSorted()).toEqual(names(config).toSorted())
    expect(selected.excluded.map(({ name }) => name)).toEqual(
      names(config).filter((name) => !expected.includes(name)),
    )
  })

  it.each(['web?example', '*'])('does not take %s as a regular expression', (pattern) => {
    expect(names(select({ hosts: [pattern] }))).toContain('web.example')
    expect(() => select({ hosts: ['web[.]example'] })).toThrow(UsageError)
    expect(() => select({ hosts: ['web.e+xample'] })).toThrow(UsageError)
  })

  it('refuses patterns that exclude every host', () => {
    expect(() => select({ hosts: ['!*'] })).toThrow('--host excludes every host of alpha.')
    expect(() => select({ hosts: ['db1,!db*'] })).toThrow('--host excludes every host of alpha.')
  })

  it('selects all hosts for a command without targets', () => {
    expect(selectTargets(config, undefined)).toEqual({ ...config, excluded: [] })
  })
})

describe('selectTargets with --service', () => {
  it.each([
    [{ services: ['west'] }, ['db2', 'db10', 'web.example']],
    [{ services: ['global'] }, ['db1', 'db2']],
    [{ services: ['?ast', 'WES*'] }, ['db1', 'db2', 'db10', 'web.example']],
    [{ services: ['west'], hosts: ['db*'] }, ['db2', 'db10']],
  ])('%j: %j', (targets, expected) => {
    expect(names(select(targets))).toEqual(expected)
  })
})

describe('targets without a match', () => {
  const refused = (work: () => unknown): string => {
    try {
      work()
    } catch (error) {
      if (error instanceof UsageError) return `${error.message}\n${error.fix}`
      throw error
    }
    return 'accepted'
  }

  it('are refused with the nearest name, or the existing names', () => {
    expect(refused(() => select({ hosts: ['db1', 'web.exampel'] }))).toMatchInlineSnapshot(`
      "no host in alpha matches 'web.exampel'
      Did you mean web.example? The file has db1, db2, db10 and web.example; \`*\` stands for any characters, such as in --host 'db*'."
    `)
    expect(refused(() => select({ services: ['north*'] }))).toMatchInlineSnapshot(`
      "no service in alpha matches 'north*'
      The file has east, global and west; \`*\` stands for any characters, such as in --service 'ea*'."
    `)
    expect(refused(() => select({ services: ['east'], hosts: ['db10'] }))).toMatchInlineSnapshot(`
      "No host in alpha matches both --host and --service.
      --host matches db10; --service matches east. Choose options that match a common host."
    `)
    expect(refused(() => withComponent(select({ hosts: ['web*'] }), 'manager'))).toMatchInlineSnapshot(`
      "no selected host has a manager.
      Use --component with one of connector, or select other hosts."
    `)
  })
})

describe('an unknown host', () => {
  it.each([
    [['uninstall']],
    [['stop']],
    [['restart']],
    [['rollback']],
    [['exec']],
    [['install']],
    [['lock', 'release']],
  ])('is answered without the name of another host: %j', async (words) => {
    const err = await answered(words)
    expect(err).toContain("no host in alpha matches 'db3'")
    expect(err).toContain('The file has db1 and db2;')
    expect(err).not.toContain('Did you mean')
  })

  it.each([[['status']], [['plan']], [['lock', 'status']]])(
    'is answered with the nearest name by %j, which changes nothing',
    async (words) => {
      expect(await answered(words)).toContain('Did you mean db1?')
    },
  )

  async function answered(words: readonly string[]): Promise<string> {
    const cwd = temporaryFolder()
    writeFileSync(
      join(cwd, 'alpha.yaml'),
      `cluster: alpha
defaults: { rest-api-admin-user: chief }
services: { alpha: { topology: clustered, members: [db1, db2], master: db1, connectors: [db1] } }
hosts: { db1: { address: 192.0.2.1 }, db2: { address: 192.0.2.2 } }
`,
    )
    const { context, err } = commandContext({ cwd })
    const given = words.includes('exec') ? ['--', 'true'] : []
    expect(await muster({ argv: [...words, '--host', 'db3', 'alpha.yaml', ...given], context })).toBe(3)
    return err().replaceAll(/\s+/g, ' ')
  }
})

describe('--component', () => {
  it('keeps only that component, on hosts that have it', () => {
    const hosts = withComponent(select({}), 'manager').hosts.map(({ name, apis }) => [name, apis.length])
    expect(hosts).toEqual([
      ['db1', 1],
      ['db2', 1],
      ['db10', 1],
    ])
    expect(names(withComponent(select({}), 'connector'))).toEqual(names(config))
    expect(withComponent(select({}), undefined)).toEqual(select({}))
  })

  it('is unknown to commands that act on a whole host', async () => {
    for (const name of ['install', 'plan', 'check', 'rollback', 'exec', 'uninstall']) {
      const { context, err } = commandContext({})
      expect(await muster({ argv: [name, '--component', 'manager'], context })).toBe(3)
      expect(err()).toContain("unknown option '--component'")
    }
  })
})

describe('--connection', () => {
  it('changes how a host is reached, not what is installed there', () => {
    const [db1] = select({ hosts: ['db1'], connection: 'local' }).hosts
    expect(db1).toEqual({ ...config.hosts[0], via: 'local' })
  })

  it('changes nothing if the file has the same connection', () => {
    expect(select({ connection: 'ssh' })).toEqual(select({}))
  })

  it('accepts local for one host only', () => {
    expect(() => select({ hosts: ['db?'], connection: 'local' })).toThrow(
      '--connection local treats db1 and db2 as this one machine.',
    )
    const local = {
      ...config,
      hosts: config.hosts.map((host) => ({ ...host, connection: 'local' as const })),
    }
    expect(names(select({ connection: 'local' }, local))).toEqual(names(config))
    expect(select({ connection: 'ssh' }, local).hosts.map(({ via }) => via)).toEqual([
      'ssh',
      'ssh',
      'ssh',
      'ssh',
    ])
  })
})
