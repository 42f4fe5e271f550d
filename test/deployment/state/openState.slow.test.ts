import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/certificates/authority.ts'
import {
  type ClusterState,
  emptyState,
  withAuthority,
  withHost,
  withoutStrayStores,
  withUser,
} from '../../../src/deployment/state/clusterState.ts'
import { openState, readState, removeState, saveState } from '../../../src/deployment/state/openState.ts'
import { stateDifferences } from '../../../src/deployment/state/stateDifferences.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { sampleState } from './sampleState.ts'

const sample = await sampleState()
const place = () => ({ directory: temporaryFolder(), cluster: 'alpha' })
type Place = ReturnType<typeof place>
const at = (where: Place, ...path: readonly string[]): string =>
  join(where.directory, '.muster', 'alpha', ...path)
const save = (where: Place, before: ClusterState, after: ClusterState) =>
  saveState({ ...where, before, after })
const saved = async (): Promise<Place> => {
  const where = place()
  await save(where, emptyState, sample)
  return where
}
const modes = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => `${(statSync(join(folder, name)).mode & 0o777).toString(8)} ${name}`)

describe('a state directory', () => {
  it('stores a whole state for its owner only, outside git', async () => {
    const where = await saved()
    const read = await readState(where)
    expect(read?.notes).toEqual([])
    expect(stateDifferences(read?.state ?? emptyState, sample)).toEqual([])
    expect(modes(where.directory)).toEqual([
      '700 .muster',
      '600 .muster/.gitignore',
      '700 .muster/alpha',
      '600 .muster/alpha/authority.crt',
      '600 .muster/alpha/authority.key',
      '700 .muster/alpha/hosts',
      ...['db1', 'db2'].flatMap((host) => [
        `700 .muster/alpha/hosts/${host}`,
        ...['chain.pem', 'key.pem', 'keystore.p12', 'truststore.p12'].map(
          (name) => `600 .muster/alpha/hosts/${host}/${name}`,
        ),
      ]),
      '600 .muster/alpha/machines.json',
      '600 .muster/alpha/secrets.json',
    ])
    expect(readFileSync(join(where.directory, '.muster', '.gitignore'), 'utf8')).toBe('*\n')
    expect(JSON.parse(readFileSync(at(where, 'secrets.json'), 'utf8'))).toEqual({
      version: 1,
      keystorePassword: 'store-one',
      truststorePassword: 'store-two',
      users: {
        admin: { salt: 'AQEBAQEBAQEBAQEBAQEBAQ==', password: 'made-password' },
        özge: { salt: 'AgICAgICAgICAgICAgICAg==' },
      },
    })
  })

  it('is not created by reading or by saving nothing', async () => {
    const where = place()
    expect(await readState(where)).toBeUndefined()
    expect(await save(where, emptyState, emptyState)).toEqual({ written: [] })
    expect(readdirSync(where.directory)).toEqual([])
  })

  it('is created by opening, and is then empty', async () => {
    const where = place()
    expect(await openState(where)).toEqual({ state: emptyState, notes: [] })
    expect(existsSync(at(where))).toBe(true)
    expect(await readState(where)).toBeUndefined()
  })

  it('writes only changed files', async () => {
    const where = await saved()
    const before = statSync(at(where, 'authority.crt'), { bigint: true }).ctimeNs
    expect(await save(where, sample, sample)).toEqual({ written: [] })
    const after = withUser(sample, 'admin', { salt: Buffer.alloc(16, 1), password: new Secret('next') })
    expect(await save(where, sample, after)).toEqual({ written: ['secrets.json'] })
    expect(statSync(at(where, 'authority.crt'), { bigint: true }).ctimeNs).toBe(before)
    expect(readdirSync(at(where)).sort()).toEqual([
      'authority.crt',
      'authority.key',
      'hosts',
      'machines.json',
      'secrets.json',
    ])
  })

  it('keeps the changes of many runs at once that began with the same state', async () => {
    const where = await saved()
    const stores = sample.hosts.get('db1')
    if (stores === undefined) throw new Error('no stores')
    const names = Array.from({ length: 8 }, (_, index) => `new${index}`)
    await Promise.all(
      names.map(async (name, index) => {
        const first = withHost(sample, name, stores)
        await save(where, sample, first)
        const user = { salt: Buffer.alloc(16, index), password: new Secret(name) }
        const machines = new Map(first.machines).set(name, String(index))
        await save(where, first, { ...withUser(first, name, user), machines })
      }),
    )
    const { state } = (await readState(where)) ?? { state: emptyState }
    expect([...state.hosts.keys()]).toEqual(['db1', 'db2', ...names])
    expect([...state.users.keys()]).toEqual(['admin', ...names, 'özge'])
    expect([...state.machines.keys()]).toEqual(['db1', ...names])
    expect(readdirSync(at(where)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('refuses a change of a host that was changed since it was read', async () => {
    const where = await saved()
    const [db1, db2] = [sample.hosts.get('db1'), sample.hosts.get('db2')]
    if (db1 === undefined || db2 === undefined) throw new Error('no stores')
    await save(where, sample, withHost(sample, 'db1', { ...db1, outside: db2.chain }))
    await expect(
      save(where, sample, withHost(sample, 'db1', { ...db1, outside: db1.chain })),
    ).rejects.toMatchObject({
      code: 'changed-meanwhile',
      message: expect.stringContaining(
        'was changed by someone else since it was read: the stores of host db1 differ',
      ) as unknown,
    })
  })

  it('does not change unknown files', async () => {
    const where = await saved()
    writeFileSync(at(where, 'runs.jsonl'), '{}\n')
    writeFileSync(at(where, 'hosts', 'db1', 'note.txt'), 'hello')
    const { state } = await openState(where)
    await save(where, state, withUser(state, 'new', { salt: Buffer.alloc(16, 3) }))
    expect(readFileSync(at(where, 'runs.jsonl'), 'utf8')).toBe('{}\n')
    expect(existsSync(at(where, 'hosts', 'db1', 'note.txt'))).toBe(true)
  })

  it('stores a host whose name is not a file name inside its folder', async () => {
    const where = await saved()
    const stores = sample.hosts.get('db1')
    if (stores === undefined) throw new Error('no stores')
    const odd = ['..', '../../etc', 'a/b', 'fd00::1', '.hidden'].reduce(
      (state, host) => withHost(state, host, stores),
      sample,
    )
    await save(where, sample, odd)
    expect([...((await readState(where))?.state.hosts.keys() ?? [])].sort()).toEqual(
      [...odd.hosts.keys()].sort(),
    )
    expect(readdirSync(at(where, 'hosts')).sort()).toEqual([
      '%2E.',
      '%2E.%2F..%2Fetc',
      '%2Ehidden',
      'a%2Fb',
      'db1',
      'db2',
      'fd00%3A%3A1',
    ])
  })

  it('is deleted completely, without other clusters', async () => {
    const where = await saved()
    const other = { ...where, cluster: 'beta' }
    await save(other, emptyState, sample)
    await removeState(where)
    expect(readdirSync(join(where.directory, '.muster')).sort()).toEqual(['.gitignore', 'beta'])
    await removeState(other)
    await removeState(other)
    expect(readdirSync(where.directory)).toEqual([])
  })
})

describe('an authority in the state directory', () => {
  it('is never replaced', async () => {
    const where = await saved()
    const other = await createAuthority({ cluster: 'alpha', now: new Date() })
    await expect(save(where, sample, withAuthority(sample, other))).rejects.toMatchObject({
      code: 'authority-replaced',
    })
    const { authority: _, ...without } = sample
    await expect(save(where, sample, without)).rejects.toMatchObject({ code: 'authority-replaced' })
    expect(readFileSync(at(where, 'authority.crt'), 'utf8')).toBe(sample.authority?.certificate)
  })

  it('is not overwritten by a run that began before it', async () => {
    const where = await saved()
    const other = await createAuthority({ cluster: 'alpha', now: new Date() })
    const saving = save(where, emptyState, withAuthority(emptyState, other))
    await expect(saving).rejects.toMatchObject({
      code: 'changed-meanwhile',
      message: expect.stringContaining('the authority: only here') as unknown,
    })
    expect(readFileSync(at(where, 'authority.crt'), 'utf8')).toBe(sample.authority?.certificate)
  })
})

describe('a damaged state directory', () => {
  const write = (path: string, content: string) => (where: Place) => writeFileSync(at(where, path), content)
  const remove = (path: string) => (where: Place) => unlinkSync(at(where, path))
  const link = (path: string) => (where: Place) => {
    const real = join(where.directory, 'elsewhere')
    renameSync(join(where.directory, path), real)
    symlinkSync(real, join(where.directory, path))
  }

  it.each([
    ['damaged', 'secrets.json in ', 'is not JSON', write('secrets.json', '{"version": 1, "us')],
    [
      'damaged',
      'secrets.json in ',
      'has a version that this muster does not support',
      write('secrets.json', '{"version": 2}'),
    ],
    [
      'damaged',
      'secrets.json in ',
      'has a user without a valid salt',
      write('secrets.json', '{"version": 1, "users": {"a": {"salt": "AA=="}}}'),
    ],
    [
      'damaged',
      'secrets.json in ',
      'only one of two store passwords',
      write('secrets.json', '{"version": 1, "users": {}, "keystorePassword": "x"}'),
    ],
    ['damaged', 'authority.key in ', 'is missing, but its certificate exists', remove('authority.key')],
    ['damaged', 'authority.crt in ', 'is missing, but its key exists', remove('authority.crt')],
    [
      'damaged',
      'authority.key in ',
      'has a key that cannot be read',
      write('authority.key', '-----BEGIN PRIVATE KEY-----\n'),
    ],
    ['damaged', 'authority.crt in ', 'has a certificate that cannot be read', write('authority.crt', '')],
    ['damaged', 'hosts/db1/key.pem in ', 'does not match chain.pem', write('hosts/db1/key.pem', 'x')],
    ['damaged', 'hosts/db1/keystore.p12 in ', 'is empty', write('hosts/db1/keystore.p12', '')],
    ['damaged', 'hosts/db2/chain.pem in ', 'is missing', remove('hosts/db2/chain.pem')],
    ['symlink', '/.muster is a symbolic link', '', link('.muster')],
    ['symlink', '/.muster/alpha is a symbolic link', '', link('.muster/alpha')],
    ['symlink', '/authority.key is a symbolic link', '', link('.muster/alpha/authority.key')],
    ['symlink', '/hosts/db1 is a symbolic link', '', link('.muster/alpha/hosts/db1')],
  ] as const)('is rejected: %s, %s… %s', async (code, message, detail, damage) => {
    const where = await saved()
    damage(where)
    for (const opening of [readState, openState]) {
      const error = await opening(where).then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { fix: string },
      )
      expect(error).toMatchObject({ name: 'StateError', code })
      expect(error?.message).toContain(message)
      expect(error?.message).toContain(detail)
      expect(error?.fix).not.toBe('')
      expect(`${error?.message} ${error?.fix}`).not.toMatch(/store-one|made-password/)
    }
  })

  it('is rejected if it is a file', async () => {
    const where = place()
    writeFileSync(join(where.directory, '.muster'), '')
    await expect(readState(where)).rejects.toMatchObject({ code: 'damaged' })
    await expect(openState(where)).rejects.toMatchObject({ code: 'damaged' })
  })

  it('is reported if its folder cannot be created', async () => {
    const where = { directory: join(temporaryFolder(), 'absent'), cluster: 'alpha' }
    await expect(openState(where)).rejects.toMatchObject({ code: 'unwritable' })
  })
})

describe('state files that other users can read', () => {
  it('are reported by reading and restricted by opening', async () => {
    const where = await saved()
    chmodSync(at(where, 'authority.key'), 0o644)
    chmodSync(at(where), 0o755)
    const key = at(where, 'authority.key')
    expect((await readState(where))?.notes).toEqual([
      `other users can read ${at(where)} (0755); run: chmod 0700 ${at(where)}`,
      `other users can read ${key} (0644); run: chmod 0600 ${key}`,
    ])
    expect((await openState(where)).notes).toEqual([
      `other users could read ${at(where)} (0755); its mode is now 0700`,
      `other users could read ${key} (0644); its mode is now 0600`,
    ])
    expect((await openState(where)).notes).toEqual([])
  })
})

describe('a host that leaves an outside authority', () => {
  const outside = sample.authority?.certificate ?? ''
  const [db1, db2] = [sample.hosts.get('db1'), sample.hosts.get('db2')]
  if (db1 === undefined || db2 === undefined) throw new Error('the sample has no hosts')
  const before = withHost(withHost(sample, 'db1', { ...db1, outside }), 'db2', { ...db2, outside })
  const mark = ['hosts', 'db1', 'outside.pem']

  it('loses its mark, and others keep theirs', async () => {
    const where = place()
    await save(where, emptyState, before)
    expect(existsSync(at(where, ...mark))).toBe(true)
    const after = withHost(before, 'db1', db1)
    expect(stateDifferences(before, after)).toEqual(['the stores of host db1 differ'])
    expect((await save(where, before, after)).written).toEqual(['hosts/db1/outside.pem'])
    expect(existsSync(at(where, ...mark))).toBe(false)
    expect(stateDifferences((await readState(where))?.state ?? emptyState, after)).toEqual([])
    expect((await save(where, after, after)).written).toEqual([])
  })

  it('loses its mark at the commit, wherever the run is killed', async () => {
    const where = place()
    await save(where, emptyState, before)
    mkdirSync(at(where, '.staged', 'hosts', 'db1'), { recursive: true })
    writeFileSync(at(where, '.staged', ...mark), '')
    const after = withHost(before, 'db1', db1)
    expect(stateDifferences((await readState(where))?.state ?? emptyState, after)).toEqual([])
    expect(stateDifferences((await openState(where)).state, after)).toEqual([])
    expect([existsSync(at(where, ...mark)), existsSync(at(where, '.staged'))]).toEqual([false, false])
  })
})

describe('a host that is forgotten', () => {
  const known = { ...sample, machines: new Map(), folders: new Map() }
  const after = withoutStrayStores(known, ['db1'])

  it('loses its certificate, its key and their folder, and others keep theirs', async () => {
    const where = place()
    await save(where, emptyState, known)
    mkdirSync(at(where, 'hosts', 'not%a%host'))
    writeFileSync(at(where, 'hosts', 'not%a%host', 'key.pem'), 'mine')
    await save(where, known, after)
    expect(readdirSync(at(where, 'hosts')).sort()).toEqual(['db1', 'not%a%host'])
    expect(readdirSync(at(where, 'hosts', 'not%a%host'))).toEqual(['key.pem'])
    expect(stateDifferences((await readState(where))?.state ?? emptyState, after)).toEqual([])
  })

  it('keeps them while it is installed, and its folder if somebody put a file there', async () => {
    const installed = { ...known, folders: new Map([['db2', '/opt/muster']]) }
    expect(withoutStrayStores(installed, ['db1'])).toEqual(installed)
    const where = place()
    await save(where, emptyState, known)
    writeFileSync(at(where, 'hosts', 'db2', 'notes.txt'), 'mine')
    await save(where, known, after)
    expect(readdirSync(at(where, 'hosts', 'db2'))).toEqual(['notes.txt'])
  })
})

describe('a state write that was killed', () => {
  it('is discarded if not all files were written', async () => {
    const where = await saved()
    mkdirSync(at(where, '.staging-0123456789abcdef'))
    writeFileSync(at(where, '.staging-0123456789abcdef', 'secrets.json'), 'half')
    expect(stateDifferences((await readState(where))?.state ?? emptyState, sample)).toEqual([])
    expect(stateDifferences((await openState(where)).state, sample)).toEqual([])
    expect(readdirSync(at(where)).sort()).toEqual([
      'authority.crt',
      'authority.key',
      'hosts',
      'machines.json',
      'secrets.json',
    ])
  })

  it('is completed if all files were written', async () => {
    const where = place()
    const whole = await saved()
    mkdirSync(at(where, 'hosts', 'db1'), { recursive: true })
    mkdirSync(at(where, '.staged', 'hosts', 'db1'), { recursive: true })
    renameSync(at(whole, 'authority.crt'), at(where, 'authority.crt'))
    renameSync(at(whole, 'authority.key'), at(where, '.staged', 'authority.key'))
    renameSync(at(whole, 'secrets.json'), at(where, '.staged', 'secrets.json'))
    renameSync(at(whole, 'machines.json'), at(where, '.staged', 'machines.json'))
    renameSync(at(whole, 'hosts', 'db2'), at(where, '.staged', 'hosts', 'db2'))
    for (const [name, folder] of [
      ['chain.pem', '.'],
      ['truststore.p12', '.'],
      ['key.pem', '.staged'],
      ['keystore.p12', '.staged'],
    ] as const) {
      renameSync(at(whole, 'hosts', 'db1', name), at(where, folder, 'hosts', 'db1', name))
    }
    expect(stateDifferences((await readState(where))?.state ?? emptyState, sample)).toEqual([])
    expect(existsSync(at(where, '.staged'))).toBe(true)
    expect(stateDifferences((await openState(where)).state, sample)).toEqual([])
    expect(existsSync(at(where, '.staged'))).toBe(false)
    expect(stateDifferences((await readState(where))?.state ?? emptyState, sample)).toEqual([])
  })
})
