import { describe, expect, it } from 'vitest'
import type { PictureDataSource } from '../../../src/contracts/clusterPicture.ts'
import type { ConfiguredReadOnly } from '../../../src/deployment/configuredReadOnly.ts'
import { startNotes } from '../../../src/output/deployment/startNotes.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'

/** The notes about db1 with this role, whose server starts so. */
const notes = (
  configuredReadOnly: ConfiguredReadOnly,
  role: PictureDataSource['role'],
  { state = 'ONLINE', canSwitch = false }: { state?: PictureDataSource['state']; canSwitch?: boolean } = {},
): readonly string[] => {
  const switching = { user: 'muster' } as NonNullable<ReturnType<typeof hostConfig>['switching']>
  const host = hostConfig(canSwitch ? { switching } : {})
  const datasource = { service: 'alpha', name: 'db1', role, state } as PictureDataSource
  return startNotes([{ host, facts: hostFacts({ configuredReadOnly }) }], { datasources: [datasource] })
}
const set = { isReadOnly: true, place: '/etc/my.cnf:3' }
const unset = { isReadOnly: false, group: { file: '/etc/my.cnf', name: 'mysqld' } }

describe('the notes about what databases start with', () => {
  it('name a replica that can be written then, and a primary that nobody makes writable again', () => {
    expect(notes(unset, 'replica')).toEqual([
      'db1: after a restart its database can be written, although it is a replica: no option file sets read_only. ' +
        'Write read_only=1 below [mysqld] in /etc/my.cnf; the manager makes a primary writable again after a start.',
    ])
    expect(notes(set, 'primary')).toEqual([
      'db1: after a restart its database is read-only, and nobody can write: /etc/my.cnf:3. ' +
        'Set replication-user, so that its manager makes the primary writable again after a start.',
    ])
  })

  it('are none where a server keeps its role, gets it back, or has none that is known', () => {
    expect(notes(set, 'replica')).toEqual([])
    expect(notes(unset, 'primary')).toEqual([])
    expect(notes(set, 'primary', { canSwitch: true })).toEqual([])
    expect(notes(unset, 'witness')).toEqual([])
    expect(notes(unset, 'replica', { state: 'UNKNOWN' })).toEqual([])
  })
})
