import { describe, expect, it } from 'vitest'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { settingsJson, settingsText } from '../../../src/deployment/desired/settingsText.ts'

const source = (name: string) => ({ name, host: '10.0.0.11', port: 3306, role: 'replica' as const })
const services = [
  { name: '"services": []', datasources: [source('db1'), source('$1')] },
  { name: 'empty', datasources: [] },
]
const settings = { version: 1, host: 'db1', services: { services } } as unknown as ServerSettings

describe('settingsText', () => {
  it('writes each data source on one line', () => {
    expect(settingsText(settings)).toMatchInlineSnapshot(`
      "{
        "version": 1,
        "host": "db1",
        "services": {
          "services": [
            {
              "name": "\\"services\\": []",
              "datasources": [
                { "name": "db1", "host": "10.0.0.11", "port": 3306, "role": "replica" },
                { "name": "$1", "host": "10.0.0.11", "port": 3306, "role": "replica" }
              ]
            },
            {
              "name": "empty",
              "datasources": []
            }
          ]
        }
      }
      "
    `)
    expect(JSON.parse(settingsText(settings))).toEqual(settings)
  })

  it('writes the same text with and without a services map that it knows', () => {
    expect(settingsText(settings)).toBe(`${settingsJson(settings)}\n`)
    const { services: _, ...others } = settings
    expect(settingsText(others)).toBe(`${JSON.stringify(others, null, 2)}\n`)
  })
})
