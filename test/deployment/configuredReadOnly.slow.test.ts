import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConfiguredReadOnly,
  configuredReadOnlyScript,
  parseConfiguredReadOnly,
} from '../../src/deployment/configuredReadOnly.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../support/mariadb.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-'))
const file = join(folder, 'my.cnf')
const more = join(folder, 'conf.d')

describe.skipIf(!hasMariadb)('what the option files of a running MariaDB say of read_only', () => {
  let lab: MariadbLab
  let server: Mariadb

  beforeAll(async () => {
    writeFileSync(file, '')
    lab = await mariadbLab()
    server = await lab.server({ optionFile: file })
  })
  afterAll(async () => {
    await lab.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const found = (port = server.port): ConfiguredReadOnly | string =>
    parseConfiguredReadOnly(execFileSync('sh', ['-c', configuredReadOnlyScript(port)], { encoding: 'utf8' }))

  /** What the server itself makes of the same files. */
  const isReadOnlyBy = (): boolean =>
    /^read-only +TRUE$/m.test(
      execFileSync('/usr/sbin/mariadbd', [`--defaults-file=${file}`, '--verbose', '--help'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )

  const write = (text: string, included: Readonly<Record<string, string>> = {}): void => {
    rmSync(more, { recursive: true, force: true })
    mkdirSync(more)
    writeFileSync(file, text.replaceAll('FOLDER', more))
    for (const [name, content] of Object.entries(included)) writeFileSync(join(more, name), content)
  }

  it.each<readonly [string, string, Readonly<Record<string, string>>, ConfiguredReadOnly]>([
    ['nothing', '[client]\nread_only=1\n', {}, { isReadOnly: false }],
    [
      'the last of several lines',
      '[mysqld]\nread-only\n[server]\n read_only = OFF\n',
      {},
      { isReadOnly: false, place: `${file}:4`, group: { file, name: 'server' } },
    ],
    [
      'a line with a comment behind it, in a group of MariaDB',
      '[mysqld]\n#read_only=0\n[mariadb]\nread_only=1 # always\n',
      {},
      { isReadOnly: true, place: `${file}:4`, group: { file, name: 'mariadb' } },
    ],
    [
      'a file that is included, before what comes after it in the same group',
      '[mysqld]\n!includedir FOLDER\nread_only=on\n',
      { 'a.cnf': '[client]\nread_only=0\n', 'b.cnf': '[mysqld]\nskip-read-only\n', 'c.txt': '[mysqld]\n' },
      { isReadOnly: true, place: `${file}:3`, group: { file: join(more, 'b.cnf'), name: 'mysqld' } },
    ],
    [
      'the last file that is included',
      '[mysqld]\nread_only=1\n!includedir FOLDER\n',
      { 'a.cnf': '[mysqld]\nloose-read_only="FALSE"\n' },
      {
        isReadOnly: false,
        place: `${join(more, 'a.cnf')}:2`,
        group: { file: join(more, 'a.cnf'), name: 'mysqld' },
      },
    ],
    [
      'an option with a name that only begins so',
      '[mysqld]\nloose-read_only_more=1\n',
      {},
      { isReadOnly: false, group: { file, name: 'mysqld' } },
    ],
  ])('is found as the server finds it: %s', (_, text, included, expected) => {
    write(text, included)
    expect(found()).toEqual(expected)
    expect(isReadOnlyBy()).toBe(expected.isReadOnly)
  })

  it('leaves out a file that everybody may change, as the server does', () => {
    write('[mysqld]\nread_only=0\n!includedir FOLDER\n', { 'a.cnf': '[mysqld]\nread_only=1\n' })
    chmodSync(join(more, 'a.cnf'), 0o666)
    expect(found()).toMatchObject({ isReadOnly: false, place: `${file}:2` })
    expect(isReadOnlyBy()).toBe(false)
  })

  it('is unknown where a file includes one that cannot be read, itself, or sets it for one version', () => {
    write(`[mysqld]\n!include ${join(more, 'none.cnf')}\n`)
    expect(found()).toBe(`${join(more, 'none.cnf')} cannot be read`)
    write(`[mysqld]\n!include ${file}\n`)
    expect(found()).toBe(`${file} cannot be read`)
    write('[mariadb-10.11]\nread_only=1\n')
    expect(found()).toBe(`${file}:2 sets read_only for one version of the server`)
  })

  it('prints nothing of other lines', () => {
    write('[mysqld]\ninit_connect="SET x = \'secret read_only\'"\nread_only=1\n')
    const output = execFileSync('sh', ['-c', configuredReadOnlyScript(server.port)], { encoding: 'utf8' })
    expect(Buffer.from(output, 'base64').toString()).not.toContain('secret')
  })

  it('is that of the server at the port, where several run, and what its command line says counts last', async () => {
    write('[mysqld]\nread_only=0\n')
    expect(found(1)).toBe('no server runs on this host')
    const other = await lab.server({ options: ['--read-only=1', '--read-only'] })
    expect(found(other.port)).toEqual({ isReadOnly: true, place: 'the command line of the server' })
    expect(found()).toMatchObject({ isReadOnly: false, place: `${file}:2` })
    expect(found(1)).toBe('no server runs on this host')
  })
})
