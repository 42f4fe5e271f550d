import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/accounts.ts'
import { QueueFullError } from '../../src/accounts/fairQueue.ts'
import { createLockout, LockedOutError } from '../../src/accounts/lockout.ts'
import { hashPassword, verifyPassword } from '../../src/accounts/passwordHash.ts'
import { parsePhc } from '../../src/accounts/phc.ts'
import { formatUserFile, putUser, removeUser } from '../../src/accounts/userFile.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const verify = vi.fn(verifyPassword)
const cost = { ln: 4, r: 8, p: 1 }
const login = (user: string, password: string) => ({ user, password: new Secret(password) })

const from = (name: string) => async () => ({ name, isLocal: false })

const open = (path: string): Accounts =>
  createAccounts({
    path,
    key: randomBytes(32),
    random: randomBytes,
    lockout: createLockout({ now: () => performance.now() }),
    cost,
    verify,
  })

/** Keeps every check of a password from ending until it is let go. */
function holdChecks(): () => void {
  let letGo = (): void => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  verify.mockClear().mockImplementation(async (...args) => {
    await held
    return verifyPassword(...args)
  })
  onTestFinished(() => void verify.mockImplementation(verifyPassword))
  return letGo
}

async function put(accounts: Accounts, user: string, password: string): Promise<boolean> {
  const record = await accounts.recordFor(login(user, password))
  return accounts.change((file) => putUser(file, record))
}

describe('the accounts of a host', () => {
  it('have no user where there is no file', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    expect(await accounts.users()).toEqual([])
    expect(await accounts.verify(login('admin', 'x'))).toBe('no-user')
  })

  it('accept a valid login and refuse a wrong password and an unknown user', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    await put(accounts, 'admin', 'right')
    expect(await accounts.verify(login('admin', 'right'))).toBe('full')
    expect(await accounts.verify(login('admin', 'wrong'))).toBe('refused')
    expect(await accounts.verify(login('nobody', 'right'))).toBe('refused')
  })

  it('see at once what another process changed, also for logins verified before', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const [one, two] = [open(path), open(path)]
    await put(one, 'admin', 'first')
    expect(await two.verify(login('admin', 'first'))).toBe('full')
    await put(one, 'admin', 'second')
    expect(await two.verify(login('admin', 'first'))).toBe('refused')
    expect(await two.verify(login('admin', 'second'))).toBe('full')
    await put(one, 'other', 'x')
    await one.change((file) => removeUser(file, 'admin'))
    expect(await two.verify(login('admin', 'second'))).toBe('refused')
  })

  it('see a user file that another program renamed into place', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users.json')
    const accounts = open(path)
    await put(accounts, 'admin', 'first')
    expect(await accounts.verify(login('admin', 'first'))).toBe('full')
    const hash = await hashPassword({ password: new Secret('other'), salt: randomBytes(16), cost })
    const content = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
    writeFileSync(join(folder, 'elsewhere'), content)
    renameSync(join(folder, 'elsewhere'), path)
    expect(await accounts.verify(login('admin', 'first'))).toBe('refused')
    expect(await accounts.verify(login('admin', 'other'))).toBe('full')
  })

  it('never treat a broken user file as a host without users', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const accounts = open(path)
    writeFileSync(path, '')
    await expect(accounts.verify(login('admin', 'x'))).rejects.toThrow('it is not JSON')
    await expect(accounts.users()).rejects.toThrow('it is not JSON')
  })

  it('change nothing if the password is already the same', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    expect(await put(accounts, 'admin', 'same')).toBe(true)
    expect(await put(accounts, 'admin', 'same')).toBe(false)
    expect(await put(accounts, 'admin', 'another')).toBe(true)
  })

  it('reject the 35th different login of one origin while 34 are being checked', async () => {
    const path = join(temporaryFolder(), 'users.json')
    const accounts = open(path)
    await put(accounts, 'admin', 'right')
    const letGo = holdChecks()
    const turnedAway: unknown[] = []
    const logins = Array.from({ length: 40 }, (_, index) =>
      accounts.verify(login('admin', `wrong${index}`)).catch((error: unknown) => turnedAway.push(error)),
    )
    await eventually(() => expect(turnedAway).toHaveLength(6))
    letGo()
    expect((await Promise.all(logins)).filter((verdict) => verdict === 'refused')).toHaveLength(34)
    expect(turnedAway).toHaveLength(6)
    for (const error of turnedAway) expect(error).toBeInstanceOf(QueueFullError)
  })

  it('let the administrator in while another address sends random names without end', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    await put(accounts, 'admin', 'right')
    verify.mockClear()
    let isOver = false
    let guesses = 0
    const flood = Array.from({ length: 60 }, async () => {
      while (!isOver) {
        guesses += 1
        const guess = login(`nobody${guesses}`, 'x')
        await accounts
          .verify(guess, from('10.0.0.6'))
          .catch(() => new Promise((resolve) => setImmediate(resolve)))
      }
    })
    await eventually(() => expect(verify.mock.calls.length).toBeGreaterThan(10))
    const verdicts: unknown[] = []
    for (let attempt = 0; attempt < 24; attempt += 1) {
      const before = verify.mock.calls.length
      // Users of one name and other passwords: a login that was verified would not wait at all.
      const origin = from(`10.0.1.${attempt}`)
      verdicts.push(await accounts.verify(login('admin', attempt % 2 ? 'right' : `wrong${attempt}`), origin))
      // Those at work, and one of the flood's turn.
      expect(verify.mock.calls.length - before).toBeLessThanOrEqual(5)
    }
    isOver = true
    await Promise.all(flood)
    expect(verdicts).toEqual(Array.from({ length: 24 }, (_, at) => (at % 2 ? 'full' : 'refused')))
  })

  it('do the same work for an unknown user as for a wrong password, at the same cost', async () => {
    const accounts = open(join(temporaryFolder(), 'users.json'))
    await put(accounts, 'admin', 'right')
    const costOf = async (user: string): Promise<unknown> => {
      verify.mockClear()
      expect(await accounts.verify(login(user, 'wrong'))).toBe('refused')
      return verify.mock.calls.map(([password, hash]) => {
        const { cost: paid, hash: bytes } = parsePhc(hash) ?? {}
        return [password.reveal(), paid, bytes?.length]
      })
    }
    expect(await costOf('admin')).toEqual([['wrong', cost, 32]])
    expect(await costOf('nobody')).toEqual([['wrong', cost, 32]])
  })

  describe('when a caller guesses passwords', () => {
    const outcome = (verdict: Promise<unknown>): Promise<unknown> =>
      verdict.catch((error: Error) => error.name)

    it('lock only this pair of address and user after five failures', async () => {
      const accounts = open(join(temporaryFolder(), 'users.json'))
      await put(accounts, 'admin', 'right')
      for (let guess = 1; guess <= 5; guess += 1) {
        expect(await accounts.verify(login('admin', `wrong${guess}`), from('a'))).toBe('refused')
      }
      await expect(accounts.verify(login('admin', 'right'), from('a'))).rejects.toBeInstanceOf(LockedOutError)
      expect(await accounts.verify(login('other', 'right'), from('a'))).toBe('refused')
      expect(await accounts.verify(login('admin', 'right'), from('b'))).toBe('full')
    })

    it('let a login pass that was verified before, also after users changed', async () => {
      const accounts = open(join(temporaryFolder(), 'users.json'))
      await put(accounts, 'admin', 'right')
      expect(await accounts.verify(login('admin', 'right'), from('elsewhere'))).toBe('full')
      for (let guess = 1; guess <= 5; guess += 1) await accounts.verify(login('admin', 'wrong'), from('a'))
      expect(await outcome(accounts.verify(login('admin', 'wrong'), from('a')))).toBe('LockedOutError')
      expect(await accounts.verify(login('admin', 'right'), from('a'))).toBe('full')
      await put(accounts, 'jane', 'x')
      expect(await accounts.verify(login('admin', 'right'), from('a'))).toBe('full')
      await put(accounts, 'admin', 'new')
      expect(await outcome(accounts.verify(login('admin', 'right'), from('a')))).toBe('LockedOutError')
    })

    it('check no password of a locked pair, whether the user exists or not', async () => {
      const accounts = open(join(temporaryFolder(), 'users.json'))
      await put(accounts, 'admin', 'right')
      for (const user of ['admin', 'nobody']) {
        for (let guess = 1; guess <= 5; guess += 1) await accounts.verify(login(user, 'wrong'), from('a'))
        verify.mockClear()
        const locked = [1, 2, 3].map(() => outcome(accounts.verify(login(user, 'wrong'), from('a'))))
        expect(await Promise.all(locked)).toEqual(Array(3).fill('LockedOutError'))
        expect(verify).not.toHaveBeenCalled()
      }
    })

    it('count guesses that are being checked, and the same guess at the same time only once', async () => {
      const accounts = open(join(temporaryFolder(), 'users.json'))
      await put(accounts, 'admin', 'right')
      const letGo = holdChecks()
      const many = Array.from({ length: 20 }, (_, index) => `wrong${index}`)
      const guessing = many.map((it) => outcome(accounts.verify(login('admin', it), from('a'))))
      await eventually(() => expect(verify).toHaveBeenCalled())
      letGo()
      const guesses = await Promise.all(guessing)
      expect(guesses.filter((it) => it === 'refused')).toHaveLength(5)
      expect(guesses.filter((it) => it === 'LockedOutError')).toHaveLength(15)
      const same = await Promise.all(many.map(() => accounts.verify(login('admin', 'right'), from('b'))))
      expect(new Set(same)).toEqual(new Set(['full']))
    })

    it('count no guess without an address and no guess that was never checked', async () => {
      const accounts = open(join(temporaryFolder(), 'users.json'))
      for (let guess = 1; guess <= 9; guess += 1) {
        expect(await accounts.verify(login('admin', 'x'), from('a'))).toBe('no-user')
      }
      await put(accounts, 'admin', 'right')
      for (let guess = 1; guess <= 9; guess += 1) await accounts.verify(login('admin', 'wrong'))
      const letGo = holdChecks()
      const others = Array.from({ length: 34 }, (_, index) => accounts.verify(login('admin', `${index}`)))
      for (let guess = 1; guess <= 9; guess += 1) {
        expect(await outcome(accounts.verify(login('admin', 'wrong')))).toBe('QueueFullError')
      }
      letGo()
      await Promise.all(others)
      const left: unknown[] = []
      for (let guess = 1; guess <= 6; guess += 1) {
        left.push(await outcome(accounts.verify(login('admin', 'wrong'), from('a'))))
      }
      expect(left).toEqual([...Array(5).fill('refused'), 'LockedOutError'])
    })
  })
})
