import { describe, expect, it } from 'vitest'
import { placesOf, readOptions } from '../../../src/components/provision/hostDatabase.ts'

const printed = (...rows: readonly string[]): string =>
  [
    'mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)',
    '  --datadir=name      Path to the database root directory',
    '',
    'Variables (--variable-name=value)',
    'and boolean options {FALSE|TRUE}                             Value (after reading options)',
    '------------------------------------------------------------ -------------',
    'datadir                                                      /var/lib/mysql/',
    'port                                                         3306',
    'socket                                                       /run/mysqld/mysqld.sock',
    'log-bin                                                      (No default value)',
    'aria-log-dir-path                                            /var/lib/mysql/',
    ...rows,
    '',
    "To see what values a running MySQL server is using, type 'mysqladmin variables'",
  ].join('\n')

const places = (...rows: readonly string[]) => placesOf(readOptions(printed(...rows)))

describe('the places of a server', () => {
  it('are those that its option files name', () => {
    expect(places()).toEqual({
      folder: '/var/lib/mysql',
      socket: '/run/mysqld/mysqld.sock',
      logsElsewhere: [],
    })
  })

  it('have the logs that are not in the data folder', () => {
    const rows = [
      'log-bin                                                      /var/log/mysql/bin',
      'relay-log                                                    relay/log',
    ]
    expect(places(...rows).logsElsewhere).toEqual(['/var/log/mysql/bin'])
  })

  it('may be named as within the data folder', () => {
    const rows = [
      'innodb-data-home-dir                                         ./',
      'innodb-undo-directory                                        /var/lib/mysql',
      'socket                                                       own.sock',
    ]
    expect(places(...rows)).toMatchObject({ folder: '/var/lib/mysql', socket: '/var/lib/mysql/own.sock' })
  })

  it.each([
    ['innodb-data-home-dir', '/srv/innodb'],
    ['innodb-log-group-home-dir', '/srv/redo/'],
    ['innodb-undo-directory', '../undo'],
    ['aria-log-dir-path', '/srv/aria'],
    ['innodb-data-file-path', '/srv/ibdata1:12M:autoextend'],
  ])('are refused where data are elsewhere: %s', (option, value) => {
    expect(() => places(`${option}    ${value}`)).toThrow(
      `data outside of /var/lib/mysql is not supported: the server has ${option}`,
    )
  })

  it('are refused where nothing names a data folder', () => {
    expect(() => placesOf(readOptions('no table'))).toThrow('the option files name no data folder')
  })
})
