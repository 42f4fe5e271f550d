import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { dataIn, type ServiceData } from '../../../src/deployment/layout.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { copyData, currentData, movedFrom, removeData } from '../../../src/deployment/services/moveData.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { rawResult } from '../../support/rawResult.ts'
import { targetOf } from '../steps/target.ts'

const root = process.getuid?.() === 0
const nobody = 65534
const account = root ? { user: 'nobody', isOther: true } : { user: 'us', isOther: false }

describe('component data that is moved', () => {
  let folder = ''
  let former: ServiceData
  let own: ServiceData
  const give = (path: string): string => {
    if (root) chownSync(path, nobody, nobody)
    return path
  }
  const write = (path: string, text: string, seconds = 1000): void => {
    writeFileSync(path, text, { mode: 0o600 })
    utimesSync(path, seconds, seconds)
    give(path)
  }
  const run = async (script: string) => {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const result = rawResult(await transport.run(script, { timeout: 15_000 }))
    await transport.close()
    return result
  }
  const copy = (from: ServiceData, to: ServiceData) => run(copyData({ from, to, account }))
  const text = (path: string): string => readFileSync(path, 'utf8')

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster move'- "))
    execFileSync('chmod', ['755', folder])
    const at = { users: join(folder, 'users'), state: join(folder, 'state'), log: join(folder, 'log') }
    former = dataIn('systemd', { ...at, folders: Object.values(at), run: join(folder, 'run') })
    own = serviceData('process', { root: folder, cluster: 'alpha' })
    for (const path of [...former.folders, ...own.folders]) {
      mkdirSync(path, { recursive: true })
      give(path)
    }
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('keeps modes, owners and times of users, states, audits and logs', async () => {
    write(former.usersFile, 'users', 1234)
    write(former.stateFile('manager'), 'state')
    write(former.auditFile('connector'), 'audit')
    write(`${former.auditFile('connector')}.1`, 'older audit')
    write(former.logFile('manager'), 'log')
    expect(await copy(former, own)).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(own.state).sort()).toEqual([
      'connector.audit.jsonl',
      'connector.audit.jsonl.1',
      'manager.json',
      'manager.log',
      'users.json',
    ])
    expect(text(own.usersFile)).toBe('users')
    const { mode, mtimeMs, uid } = statSync(own.usersFile)
    expect({ mode: mode & 0o777, mtimeMs, uid }).toEqual({
      mode: 0o600,
      mtimeMs: 1_234_000,
      uid: root ? nobody : process.getuid?.(),
    })
    // It is a copy: what runs meanwhile goes on with its own.
    expect(text(former.usersFile)).toBe('users')
  })

  it('replaces only older files, in either direction', async () => {
    write(former.usersFile, 'old users', 1000)
    write(own.usersFile, 'new users', 2000)
    write(former.stateFile('manager'), 'new state', 2000)
    write(own.stateFile('manager'), 'old state', 1000)
    write(former.stateFile('connector'), 'same time', 1000)
    write(own.stateFile('connector'), 'stays', 1000)
    // Within one second, as of a user who came between two copies.
    write(former.auditFile('manager'), 'later', 1000.75)
    write(own.auditFile('manager'), 'earlier', 1000.25)
    expect((await copy(former, own)).code).toBe(0)
    expect(
      [own.usersFile, own.stateFile('manager'), own.stateFile('connector'), own.auditFile('manager')].map(
        text,
      ),
    ).toEqual(['new users', 'new state', 'stays', 'later'])
    write(own.stateFile('manager'), 'newest state', 3000)
    expect((await copy(own, former)).code).toBe(0)
    expect([former.usersFile, former.stateFile('manager'), former.stateFile('connector')].map(text)).toEqual([
      'new users',
      'newest state',
      'same time',
    ])
  })

  it('excludes links, pipes, sockets, folders, locks and unknown names, without waiting', async () => {
    write(join(folder, 'secret.json'), 'of root')
    symlinkSync(join(folder, 'secret.json'), join(former.state, 'manager.json'))
    execFileSync('mkfifo', [join(former.state, 'connector.json')])
    mkdirSync(join(former.users, 'users.json'))
    write(join(former.users, 'users.json.lock'), 'lock')
    write(join(former.users, '.users.json.muster-1'), 'half')
    const server = createServer().listen(join(former.log, 'manager.log'))
    onTestFinished(() => void server.close())
    expect((await copy(former, own)).code).toBe(0)
    expect(readdirSync(own.state)).toEqual([])
  })

  it('reports a file that could not be copied', async () => {
    write(former.usersFile, 'users')
    mkdirSync(`${own.usersFile}.new`)
    give(`${own.usersFile}.new`)
    mkdirSync(join(`${own.usersFile}.new`, 'users.json'))
    const { code, stderr } = await copy(former, own)
    expect({ code, said: stderr !== '' }).toEqual({ code: 1, said: true })
  })

  it.runIf(root)('is read and written with the rights of the service user (needs root)', async () => {
    writeFileSync(join(folder, 'passwd'), 'of root')
    // A file of root’s that somebody else linked there is not for that user to read.
    writeFileSync(former.usersFile, 'of root', { mode: 0o600 })
    expect((await copy(former, own)).code).toBe(0)
    expect(readdirSync(own.users)).toEqual(['users.json.old'])
    rmSync(join(own.users, 'users.json.old'))
    // Where it is to go something leads elsewhere.
    write(former.usersFile, 'attack', 9_000_000_000)
    symlinkSync(join(folder, 'passwd'), `${own.usersFile}.new`)
    await copy(former, own)
    expect(text(join(folder, 'passwd'))).toBe('of root')
  })

  it('is removed with its folders, without following links', async () => {
    mkdirSync(join(folder, 'kept'))
    writeFileSync(join(folder, 'kept/file'), 'of root')
    symlinkSync(join(folder, 'kept'), join(former.state, 'link'))
    mkdirSync(join(former.state, 'deep/er'), { recursive: true })
    give(join(former.state, 'deep'))
    give(join(former.state, 'deep/er'))
    write(join(former.state, 'deep/er/-a\nb'), '')
    const { code, stderr } = await run(
      removeData({ ...former, folders: [...former.folders, join(folder, 'gone')] }, account),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(former.folders.filter((path) => existsSync(path))).toEqual([])
    expect(text(join(folder, 'kept/file'))).toBe('of root')
    expect(lstatSync(own.state).isDirectory()).toBe(true)
  })

  it.runIf(root)('that the service user cannot remove is kept and reported (needs root)', async () => {
    mkdirSync(join(former.state, 'of root'), { mode: 0o755 })
    writeFileSync(join(former.state, 'of root/file'), 'of root')
    const { code, stderr } = await run(
      `set -e\n${removeData({ ...former, folders: [former.state] }, account)}`,
    )
    expect(code).not.toBe(0)
    expect(stderr).toContain('of root/file')
    expect(text(join(former.state, 'of root/file'))).toBe('of root')
  })
})

describe('the previous place of component data', () => {
  const started = (place: 'systemd' | 'process') =>
    targetOf({
      facts: hostFacts({
        installation: installationFacts({ exists: true, account: { place, user: 'muster' } }),
      }),
    })

  it('is where they were started', () => {
    const target = started('process')
    expect(movedFrom(target)?.place).toBe('process')
    expect(currentData(target).usersFile).toBe('/opt/muster/data/users.json')
  })

  it('is undefined if the place is unchanged or nothing was started', () => {
    expect(movedFrom(started('systemd'))).toBeUndefined()
    expect(movedFrom(targetOf())).toBeUndefined()
    expect(currentData(targetOf()).usersFile).toBe('/var/lib/muster-alpha/users.json')
  })
})
