import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findHost } from '../../src/client/findHost.ts'
import {
  type RegisteredCluster,
  readRegistry,
  registryDirectory,
  removeAbandonedClusters,
  removeCluster,
  writeClusterRecord,
} from '../../src/client/registry.ts'

const cluster = (name: string, directory: string, hosts: [string, string][]): RegisteredCluster => ({
  version: 1,
  cluster: name,
  directory,
  authorities: ['PEM'],
  hosts: hosts.map(([host, address]) => ({
    name: host,
    address,
    apis: [{ component: 'manager', address: '0.0.0.0', port: 8090 }],
  })),
})

const alpha = cluster('alpha', '/srv/alpha', [
  ['db1', '10.0.0.11'],
  ['db2', '10.0.0.12'],
])

describe('cluster records', () => {
  let home = ''
  let dir = ''

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'registry-'))
    dir = join(home, 'muster', 'clusters')
  })

  afterEach(() => rm(home, { recursive: true }))

  it('are written for their owner only, and can be read back', async () => {
    expect(await readRegistry(dir)).toEqual([])
    const { file, changed } = await writeClusterRecord({ dir, cluster: alpha })
    expect(changed).toBe(true)
    expect(await readRegistry(dir)).toEqual([alpha])
    const modes = [home, join(home, 'muster'), dir, file].map(async (path) => (await stat(path)).mode & 0o777)
    expect(await Promise.all(modes.slice(1))).toEqual([0o700, 0o700, 0o600])
    expect(await readdir(dir)).toEqual([expect.stringMatching(/^alpha-[0-9a-f]{12}\.json$/)])
  })

  it('lose the hosts that another record contains now, and are removed with the last one', async () => {
    const beta = cluster('beta', '/srv/beta', [
      ['db1', '10.0.0.11'],
      ['db9', '10.0.0.12'],
    ])
    await writeClusterRecord({ dir, cluster: alpha })
    await writeClusterRecord({ dir, cluster: beta })
    const hosts = async () =>
      (await readRegistry(dir)).map((one) => [one.cluster, ...one.hosts.map((it) => it.name)])
    expect(await hosts()).toEqual([
      ['alpha', 'db2'],
      ['beta', 'db1', 'db9'],
    ])
    await writeClusterRecord({ dir, cluster: { ...alpha, directory: '/srv/other' } })
    expect(await hosts()).toEqual([
      ['alpha', 'db1', 'db2'],
      ['beta', 'db9'],
    ])
  })

  it('are removed if their folder no longer exists, and kept if it does', async () => {
    const there = { ...alpha, directory: home }
    await writeClusterRecord({ dir, cluster: there })
    await writeClusterRecord({ dir, cluster: cluster('beta', join(home, 'gone'), [['db7', '10.0.0.17']]) })
    expect((await removeAbandonedClusters(dir)).map((one) => one.cluster)).toEqual(['beta'])
    expect(await readRegistry(dir)).toEqual([there])
    expect(await removeAbandonedClusters(dir)).toEqual([])
  })

  it('are not written if they are equal, and replaced if not', async () => {
    const first = await writeClusterRecord({ dir, cluster: alpha })
    const { ino } = await stat(first.file)
    expect((await writeClusterRecord({ dir, cluster: alpha })).changed).toBe(false)
    expect((await stat(first.file)).ino).toBe(ino)
    const grown = { ...alpha, authorities: ['OTHER'] }
    expect((await writeClusterRecord({ dir, cluster: grown })).changed).toBe(true)
    expect(await readRegistry(dir)).toEqual([grown])
  })

  it('keep clusters of one name in two folders apart, and can be removed one by one', async () => {
    const other = cluster('alpha', '/home/ops', [['db3', '10.0.0.13']])
    await writeClusterRecord({ dir, cluster: alpha })
    await writeClusterRecord({ dir, cluster: other })
    expect(await readRegistry(dir)).toHaveLength(2)
    expect(await removeCluster({ dir, cluster: 'alpha', directory: '/srv/alpha' })).toBe(true)
    expect(await removeCluster({ dir, cluster: 'alpha', directory: '/srv/alpha' })).toBe(false)
    expect(await readRegistry(dir)).toEqual([other])
  })

  it('stay inside their folder, whatever the cluster name contains', async () => {
    const { file } = await writeClusterRecord({ dir, cluster: { ...alpha, cluster: '../../x/é' } })
    expect(file.startsWith(`${dir}/`)).toBe(true)
    expect(file.slice(dir.length + 1)).toMatch(/^-\.\.-x-+[0-9a-f]{12}\.json$/)
  })

  it('are skipped with a warning that names the file if they are invalid', async () => {
    await writeClusterRecord({ dir, cluster: alpha })
    const broken: [string, string][] = [
      ['a.json', '{'],
      ['b.json', '[]'],
      ['c.json', '{"version":2}'],
      ['d.json', '{"version":1}'],
      ['e.json', '{"version":1,"cluster":"x","directory":"/","authorities":[1],"hosts":[]}'],
      ['f.json', '{"version":1,"cluster":"x","directory":"/","authorities":[],"hosts":[{"name":"db1"}]}'],
    ]
    for (const [name, text] of broken) await writeFile(join(dir, name), text)
    await mkdir(join(dir, 'z.json'))
    await writeFile(join(dir, 'notes.txt'), 'not a record')
    const warnings: string[] = []
    expect(await readRegistry(dir, (warning) => warnings.push(warning))).toEqual([alpha])
    const reasons = [
      ['a.json', 'it is not valid JSON'],
      ['b.json', 'it is not a JSON object'],
      ['c.json', 'its version is not 1, the only supported one'],
      ['d.json', 'it does not name its cluster and directory'],
      ['e.json', 'its authorities are not a list of PEM texts'],
      ['f.json', 'one of its hosts is not complete'],
      ['z.json', 'it cannot be read: EISDIR'],
    ]
    expect(warnings).toEqual(
      reasons.map(
        ([name, reason]) =>
          `The cluster record ${dir}/${name} is skipped: ${reason}. Run \`muster status\` to replace it.`,
      ),
    )
  })

  it('leave no temporary file if they cannot be written', async () => {
    const { file } = await writeClusterRecord({ dir, cluster: alpha })
    await rm(file)
    await mkdir(join(file, 'in the way'), { recursive: true })
    await expect(writeClusterRecord({ dir, cluster: alpha })).rejects.toThrow()
    expect(await readdir(dir)).toHaveLength(1)
  })

  it('close a folder that was open to others', async () => {
    await mkdir(dir, { recursive: true })
    await chmod(dir, 0o755)
    await writeClusterRecord({ dir, cluster: alpha })
    expect((await stat(dir)).mode & 0o777).toBe(0o700)
    expect(await readFile((await writeClusterRecord({ dir, cluster: alpha })).file, 'utf8')).toContain(
      '"alpha"',
    )
  })
})

describe('findHost', () => {
  const beta = cluster('beta', '/srv/beta', [
    ['db1', '10.0.1.11'],
    ['db9', '10.0.0.12'],
  ])
  const clusters = [alpha, beta]
  const names = (search: ReturnType<typeof findHost>) =>
    search.kind === 'several'
      ? search.matches.map((match) => `${match.cluster.cluster}/${match.host.name}`)
      : search.kind === 'one'
        ? `${search.cluster.cluster}/${search.host.name}`
        : search.kind

  it('finds a host by its name in any case and by its address', () => {
    expect(names(findHost({ cwd: '/', clusters, host: 'DB9' }))).toBe('beta/db9')
    expect(names(findHost({ cwd: '/', clusters, host: '10.0.1.11' }))).toBe('beta/db1')
    expect(names(findHost({ cwd: '/', clusters, host: 'db3' }))).toBe('none')
  })

  it('returns all matching hosts, unless the cluster is selected by name or folder', () => {
    expect(names(findHost({ cwd: '/', clusters, host: 'db1' }))).toEqual(['alpha/db1', 'beta/db1'])
    expect(names(findHost({ cwd: '/', clusters, host: '10.0.0.12' }))).toEqual(['alpha/db2', 'beta/db9'])
    expect(names(findHost({ cwd: '/', clusters, host: 'db1', cluster: 'beta' }))).toBe('beta/db1')
    expect(names(findHost({ cwd: '/', clusters, host: 'db1', cluster: '/srv/alpha' }))).toBe('alpha/db1')
    expect(names(findHost({ cwd: '/', clusters, host: 'db1', cluster: 'gamma' }))).toBe('none')
  })
})

describe('registryDirectory', () => {
  it('follows the XDG Base Directory Specification', () => {
    expect(registryDirectory({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe('/x/muster/clusters')
    expect(registryDirectory({ XDG_CONFIG_HOME: 'x', HOME: '/h' })).toBe('/h/.config/muster/clusters')
    expect(registryDirectory({ HOME: '/h' })).toBe('/h/.config/muster/clusters')
    expect(registryDirectory({ HOME: '' }, '/root')).toBe('/root/.config/muster/clusters')
  })
})
