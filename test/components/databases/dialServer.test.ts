import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartError } from '../../../src/api/startError.ts'
import { readPassword } from '../../../src/components/databases/dialServer.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const option = 'replication-password'

function secrets(content: string): string {
  const file = join(temporaryFolder(), 'secrets.json')
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

describe('readPassword', () => {
  it('reads the password of an option, whatever is in it', () => {
    const password = `it's "a\\b" é`
    const file = secrets(JSON.stringify({ 'monitor-password': 'other', [option]: password }))
    expect(readPassword({ file, option }).reveal()).toBe(password)
  })

  it.each([
    ['{"hidden', /^the secrets \/.* are not JSON; install again to write them anew$/],
    [
      '{"monitor-password":"hidden"}',
      /^the secrets \/.* hold no replication-password; set it and install again$/,
    ],
    ['{"replication-password":4711}', /hold no replication-password/],
    ['"hidden"', /hold no replication-password/],
    ['null', /hold no replication-password/],
  ])('says what is wrong with %s without quoting it', (content, message) => {
    const file = secrets(content)
    const read = () => readPassword({ file, option })
    expect(read).toThrow(StartError)
    expect(read).toThrow(message)
    expect(read).not.toThrow(/hidden|4711/)
  })

  it('takes no member that every object has for a password', () => {
    const file = secrets('{}')
    expect(() => readPassword({ file, option: 'toString' })).toThrow('hold no toString')
  })

  it('says that there is no such file', () => {
    expect(() => readPassword({ file: '/nowhere/secrets.json', option })).toThrow(
      'cannot read the secrets /nowhere/secrets.json: no such file or folder',
    )
  })
})
