import { describe, expect, it } from 'vitest'
import { allOptions, optionGroups } from '../../src/config/settings/options.ts'
import { allFile, allHost, allService } from '../../src/config/settings/places.ts'
import { spellings } from '../../src/config/settings/setting.ts'
import { allSsh } from '../../src/config/settings/ssh.ts'

describe('the settings table', () => {
  const tables = { allOptions, allSsh, allFile, allService, allHost }

  it.each(Object.entries(tables))(
    'has a type, an example, documentation and a version for every setting of %s',
    (_, table) => {
      for (const setting of table) {
        expect(setting.documentation, setting.name).toMatch(/^[A-Z].*\.$|: .*\.$/)
        expect(setting.documentation, setting.name).not.toContain('\n')
        expect(setting.type.wants, setting.name).not.toBe('')
        expect(setting.type.example, setting.name).not.toBe('')
        expect(setting.since).toMatch(/^\d+\.\d+\.\d+$/)
      }
      expect(new Set(spellings(table)).size).toBe(spellings(table).length)
    },
  )

  it('has every option in one group', () => {
    const grouped = optionGroups.flatMap(({ settings }) => settings)
    expect(new Set(grouped).size).toBe(grouped.length)
    expect(grouped).toEqual(allOptions)
  })

  it('has only defaults that a file could contain', () => {
    for (const setting of [...allOptions, ...allSsh, ...allHost]) {
      const value = setting.default
      if (value === undefined || typeof value === 'object') continue
      const span = { file: 'x', line: 1, column: 1, endLine: 1, endColumn: 2 }
      const scalar = setting.type.write(value) as string | number | boolean
      const node = { kind: 'scalar', value: scalar, source: String(scalar), span } as const
      expect(setting.type.read(node, setting.name), setting.name).toEqual({ value, findings: [] })
    }
  })

  it('marks passwords and the users with passwords as secret', () => {
    expect(allOptions.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'rest-api-admin-pass',
      'rest-api-users',
      'java-keystore-password',
      'java-truststore-password',
      'replication-password',
      'monitor-password',
    ])
  })
})
