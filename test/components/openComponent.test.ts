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

  it('says before it starts that the password of the database is not there', async () => {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    const settings = settingsIn(folder, { component: 'replicator', database, secretsFile })
    const open = () => openComponent(settings, log)
    await expect(open()).rejects.toThrow(StartError)
    await expect(open()).rejects.toThrow(`cannot read the secrets ${secretsFile}: no such file or folder`)
  })
})
