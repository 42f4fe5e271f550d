import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { StartError } from '../../src/api/startError.ts'
import { openComponent } from '../../src/components/openComponent.ts'
import { components } from '../../src/contracts/component.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { settingsIn } from '../support/testServer.ts'

const database = { type: 'mysql', host: '127.0.0.1', port: 1, user: 'muster', service: 'alpha' } as const

const log = pino({ level: 'silent' })

describe('openComponent', () => {
  it.each(components)('opens the %s that settings without a database mean', async (component) => {
    const { api, close } = await openComponent(settingsIn(temporaryFolder(), { component }), log)
    expect(api.component).toBe(component)
    close()
  })

  it.each([
    ['manager', 'no database configured: the manager serves users and status only'],
    ['connector', 'no database configured: the connector opens no port for clients'],
    ['replicator', 'no database configured: the replicator steers no replication'],
  ] as const)('tells the log of the %s what it does without a database', async (component, words) => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const bare = await openComponent(settingsIn(temporaryFolder(), { component }), told)
    bare.close()
    expect(lines.join('')).toContain(words)
  })

  it('tells the log nothing of a database of a connector that opens its port before it has one', async () => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const folder = temporaryFolder()
    const settings = settingsIn(folder, {
      component: 'connector',
      services: { services: [{ name: 'alpha', datasources: [] }] },
      stateFile: join(folder, 'state.json'),
      proxy: {
        service: 'alpha',
        address: '127.0.0.1',
        port: 0,
        readonlyPort: null,
        maxHeld: 1,
        maxHold: 1,
        drainTimeout: 0,
      },
    })
    const opened = await openComponent(settings, told)
    opened.close()
    expect(lines.join('')).not.toContain('no database configured')
  })

  it('tells the log of the manager that nobody checks its data sources', async () => {
    const lines: string[] = []
    const told = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const folder = temporaryFolder()
    const source = { name: 'db1', host: '127.0.0.1', port: 1, role: 'primary' } as const
    const settings = settingsIn(folder, {
      services: { services: [{ name: 'alpha', datasources: [source] }] },
      stateFile: join(folder, 'state.json'),
      member: { service: 'alpha', datasource: 'db1', witness: false },
    })
    const opened = await openComponent(settings, told)
    opened.close()
    expect(lines.join('')).toContain('monitor-user is not set: data sources are not checked')
    expect(lines.join('')).not.toContain('no database configured')
  })

  it('says before it starts that the password of the database is not there', async () => {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    const settings = settingsIn(folder, { component: 'replicator', database, secretsFile })
    const open = () => openComponent(settings, log)
    await expect(open()).rejects.toThrow(StartError)
    await expect(open()).rejects.toThrow(`cannot read the secrets ${secretsFile}: no such file or folder`)
  })
})
