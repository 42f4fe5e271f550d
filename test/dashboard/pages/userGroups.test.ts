import { describe, expect, it } from 'vitest'
import { groupHosts } from '../../../src/dashboard/pages/userGroups.ts'

describe('the groups of hosts with the same users', () => {
  it('are one where all hosts are alike', () => {
    const users = [{ user: 'admin', access: ['full', 'full'] as const }]
    expect(groupHosts({ hosts: ['db1', 'db2'], users, failures: [] })).toEqual([
      { hosts: ['db1', 'db2'], access: ['full'] },
    ])
  })

  it('begin with the largest, from which the others differ', () => {
    const users = [
      { user: 'admin', access: ['full', 'full', 'full'] as const },
      { user: 'grafana', access: [null, 'read', 'read'] as const },
    ]
    expect(groupHosts({ hosts: ['db1', 'db2', 'db3'], users, failures: [] })).toEqual([
      { hosts: ['db2', 'db3'], access: ['full', 'read'] },
      { hosts: ['db1'], access: ['full', null] },
    ])
  })
})
