import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/accounts.ts'
import { GateFullError } from '../../src/accounts/gate.ts'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile, putUser, removeUser } from '../../src/accounts/userFile.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const cost = { ln: 4, r: 8, p: 1 }
const login = (user: string, password: string) => ({ user, password: new Secret(password) })

const open = (path: string, more: { cost?: typeof cost } = { cost }): Accounts =>
  createAccounts({ path, key: randomBytes(32), random: randomBytes, ...more })

async function put(accounts: Accounts, user: string, password: string): Promise<boolean> {
  const record = await accounts.recordFor(login(user, password))
  return accounts.change((file) => putUser(file, record))
}

describe('accounts', () => {
  it('have no user where there is no file', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    expect(await accounts.users()).toEqual([])
    expect(await accounts.verify(login('admin', 'x'))).toBe('no-user')
  })

  it('tell a good login from a wrong password and an unknown user', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    await put(accounts, 'admin', 'right')
    expect(await accounts.verify(login('admin', 'right'))).toBe('good')
    expect(await accounts.verify(login('admin', 'wrong'))).toBe('refused')
    expect(await accounts.verify(login('nobody', 'right'))).toBe('refused')
  })

  it('see at once what another process changed, good logins that were remembered too', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const [one, two] = [open(path), open(path)]
    await put(one, 'admin', 'first')
    expect(await two.verify(login('admin', 'first'))).toBe('good')
    await put(one, 'admin', 'second')
    expect(await two.verify(login('admin', 'first'))).toBe('refused')
    expect(await two.verify(login('admin', 'second'))).toBe('good')
    await put(one, 'other', 'x')
    await one.change((file) => removeUser(file, 'admin'))
    expect(await two.verify(login('admin', 'second'))).toBe('refused')
  })

  it('see a file that something else renamed into place', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    const accounts = open(path)
    await put(accounts, 'admin', 'first')
    expect(await accounts.verify(login('admin', 'first'))).toBe('good')
    const hash = await hashPassword({ password: new Secret('other'), salt: randomBytes(16), cost })
    const content = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
    writeFileSync(join(folder, 'elsewhere'), content)
    renameSync(join(folder, 'elsewhere'), path)
    expect(await accounts.verify(login('admin', 'first'))).toBe('refused')
    expect(await accounts.verify(login('admin', 'other'))).toBe('good')
  })

  it('never take a broken file for a host without users', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const accounts = open(path)
    writeFileSync(path, '')
    await expect(accounts.verify(login('admin', 'x'))).rejects.toThrow('it is not JSON')
    await expect(accounts.users()).rejects.toThrow('it is not JSON')
  })

  it('change nothing when the password is the same already', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    expect(await put(accounts, 'admin', 'same')).toBe(true)
    expect(await put(accounts, 'admin', 'same')).toBe(false)
    expect(await put(accounts, 'admin', 'another')).toBe(true)
  })

  it('turn the 35th different login away while 34 are at work', async () => {
    const path = join(temporaryFolder(), 'users.json')
    // Dear enough that all have come before the first is done.
    const accounts = open(path, { cost: { ln: 14, r: 8, p: 1 } })
    await put(accounts, 'admin', 'right')
    await accounts.users()
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => accounts.verify(login('admin', `wrong${index}`))),
    )
    const refused = results.filter((it) => it.status === 'rejected')
    expect(refused).toHaveLength(6)
    for (const it of refused) expect(it.reason).toBeInstanceOf(GateFullError)
  })

  it('take as long for an unknown user as for a wrong password', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'), { cost: { ln: 13, r: 8, p: 1 } })
    await put(accounts, 'admin', 'right')
    const time = async (user: string): Promise<number> => {
      const before = performance.now()
      expect(await accounts.verify(login(user, 'wrong'))).toBe('refused')
      return performance.now() - before
    }
    const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 9; round += 1) {
      known.push(await time('admin'))
      unknown.push(await time('nobody'))
    }
    // A hash costs some 20 ms here; without the decoy an unknown user would take a hundredth of that.
    expect(median(unknown)).toBeGreaterThan(median(known) / 2)
    expect(median(unknown)).toBeLessThan(median(known) * 2)
  })
})
