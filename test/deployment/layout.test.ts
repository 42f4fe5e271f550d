import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { components } from '../../src/contracts/component.ts'
import { clusterUser, installationDirectories, layoutOf } from '../../src/deployment/layout.ts'
import { serviceData } from '../../src/deployment/services/implementations.ts'

const at = { root: '/opt/muster', cluster: 'alpha' }
const layout = layoutOf('/opt/muster')
const pathsOf = (place: Parameters<typeof serviceData>[0]): readonly string[] => {
  const data = serviceData(place, at)
  return [
    data.usersFile,
    ...components.flatMap((component) => [
      data.stateFile(component),
      data.auditFile(component),
      data.logFile(component),
      data.socket(component),
    ]),
  ]
}

describe('the data of the service user', () => {
  it('is in the service folders of systemd, each socket in that of its unit', () => {
    const data = serviceData('systemd', at)
    expect(data).toMatchObject({
      place: 'systemd',
      folders: ['/var/lib/muster-alpha', '/var/log/muster-alpha'],
      usersFile: '/var/lib/muster-alpha/users.json',
    })
    expect(data.stateFile('manager')).toBe('/var/lib/muster-alpha/manager.json')
    expect(data.auditFile('manager')).toBe('/var/log/muster-alpha/manager.audit.jsonl')
    expect(components.map(data.socket)).toEqual([
      '/run/muster-alpha/manager/api.sock',
      '/run/muster-alpha/connector/api.sock',
      '/run/muster-alpha/replicator/api.sock',
    ])
  })

  it('is in one folder of the installation without systemd', () => {
    const data = serviceData('process', at)
    expect(data.folders).toEqual(['/opt/muster/data'])
    expect(pathsOf('process').filter((path) => !path.startsWith('/opt/muster/data/'))).toEqual([])
    expect(data.logFile('connector')).toBe('/opt/muster/data/connector.log')
    expect(data.socket('connector')).toBe('/opt/muster/data/connector.sock')
  })

  it.each(['systemd', 'process'] as const)('shares no folder with files that root trusts (%s)', (place) => {
    const roots = [layout.root, ...installationDirectories(layout)]
    const { folders } = serviceData(place, at)
    for (const folder of folders) expect(roots).not.toContain(folder)
    // Neither is within the other, but for the root, which holds all.
    for (const folder of folders) {
      for (const root of roots.slice(1)) {
        expect(`${root}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${root}/`)).toBe(false)
      }
    }
    const own = components.flatMap((one) => [
      layout.settings(one),
      layout.pidFile(one),
      layout.appliedFile(one),
    ])
    for (const path of [...own, layout.account, layout.manifest, layout.secretsFile, layout.snapshot]) {
      expect(folders.some((folder) => path.startsWith(`${folder}/`))).toBe(false)
    }
  })

  it.each(['systemd', 'process'] as const)('has a separate path for each file (%s)', (place) => {
    expect(new Set(pathsOf(place)).size).toBe(pathsOf(place).length)
  })
})

describe('the system user of a cluster', () => {
  it('has the name of the cluster', () => {
    expect(clusterUser('alpha')).toBe('muster-alpha')
    expect(clusterUser('a'.repeat(25))).toBe(`muster-${'a'.repeat(25)}`)
  })

  it('fits the limit of useradd and differs between clusters', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,62}$/)
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(clusterUser(one)).toMatch(/^[a-z][a-z0-9_-]{0,31}$/)
        expect(clusterUser(one) === clusterUser(other)).toBe(one === other)
      }),
    )
    const long = 'a'.repeat(60)
    expect(clusterUser(`${long}1`)).not.toBe(clusterUser(`${long}2`))
    expect(clusterUser(`${long}1`)).toHaveLength(32)
  })
})
