import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HostText } from '../../../src/base/hostText.ts'
import { discoverHost, type HostDiscovery } from '../../../src/deployment/discovery/discoverHost.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** Runs the script on this machine, with these programs before its own. */
async function discoverHere(programs: Readonly<Record<string, string>>): Promise<HostDiscovery> {
  const folder = join(temporaryFolder(), 'bin')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}`)
    chmodSync(join(folder, name), 0o755)
  }
  const transport = await connectLocal({
    host: 'here',
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  })
  try {
    return await discoverHost(transport)
  } finally {
    await transport.close()
  }
}

/** A client of the database that answers each part with these lines. */
const client = (parts: Readonly<Record<string, readonly string[]>>): string => {
  const answers = Object.entries(parts).map(
    ([part, lines]) => `${part}) cat <<'END'\n${lines.join('\n')}\nEND\n;;`,
  )
  return `
while read -r line; do
  case $line in
    "SELECT '"*"' AS mark, '"*)
      mark=\${line#*\\'}; mark=\${mark%%\\'*}; part=\${line%\\' AS part*}; part=\${part##*\\'}
      printf 'mark\\tpart\\n%s\\t%s\\n' "$mark" "$part"
      case $part in
${answers.join('\n')}
      esac ;;
  esac
done
`
}

const variables = (own: Readonly<Record<string, string>>): readonly string[] => [
  'Variable_name\tValue',
  ...Object.entries({ port: '3306', server_id: '7', read_only: 'OFF', ...own }).map((pair) =>
    pair.join('\t'),
  ),
]
const end = ['complete', 'yes']

describe.skipIf(process.platform !== 'linux')('what runs on a host', () => {
  it('is read in one round trip: its system, listeners and the replication of MariaDB', async () => {
    const found = await discoverHere({
      mariadb: client({
        variables: variables({
          ...{
            version: '11.8.3-MariaDB-0+deb13u1-log',
            socket: '/run/mysqld/mysqld.sock',
            datadir: '/srv/a\\tb',
          },
          ...{ log_bin: 'ON', read_only: 'ON', rpl_semi_sync_slave_enabled: 'ON', wsrep_on: 'OFF' },
        }),
        mariadb: [
          'Connection_name\tMaster_Host\tMaster_Port\tSlave_IO_Running\tSlave_SQL_Running\tMaster_Server_Id\tUsing_Gtid',
          '\t10.0.0.11\t3306\tYes\tYes\t1\tSlave_Pos',
          'old\tdb9.example.org\t3307\tNo\tYes\t0\tNo',
        ],
        accounts: [
          'GRANTEE\tPRIVILEGE_TYPE',
          "'monitor'@'10.0.0.%'\tSLAVE MONITOR",
          "'monitor'@'10.0.0.%'\tBINLOG MONITOR",
          "'x'@'%'\tnot a privilege",
          "'two words'@'%'\tSELECT",
        ],
        end,
      }),
    })
    expect(found.os).not.toBe('')
    expect(found.hostname).not.toBe('')
    expect(found.installations).toEqual([])
    expect(found.database).toEqual({
      ...{ type: 'mariadb', version: '11.8.3-MariaDB-0+deb13u1-log', port: 3306, serverId: 7 },
      ...{ socket: '/run/mysqld/mysqld.sock', datadir: '?', readOnly: true, binaryLog: true },
      ...{ semiSync: 'replica', ownCluster: undefined, onlyLocal: false },
      channels: [
        { name: '', source: { host: '10.0.0.11', port: 3306, serverId: 1 }, running: true, gtid: true },
        {
          name: 'old',
          source: { host: 'db9.example.org', port: 3307, serverId: undefined },
          running: false,
          gtid: false,
        },
      ],
      accounts: [
        { user: 'monitor', host: '10.0.0.%', privileges: new Set(['SLAVE MONITOR', 'BINLOG MONITOR']) },
      ],
    })
  })

  it('is read of MySQL by its own statements', async () => {
    const found = await discoverHere({
      mariadb: client({
        variables: variables({
          ...{ version: '8.4.3', super_read_only: 'ON', skip_networking: 'ON' },
          group_replication_group_name: '0b0c',
        }),
        mysql: [
          'Channel_Name\tSource_Host\tSource_Port\tReplica_IO_Running\tReplica_SQL_Running\tSource_Server_Id\tAuto_Position',
          '\tdb1\t3306\tYes\tYes\t1\t1',
        ],
        end,
      }),
    })
    expect(found.database).toMatchObject({
      ...{ type: 'mysql', ownCluster: 'group replication', onlyLocal: true, semiSync: undefined },
      channels: [{ source: { host: 'db1', port: 3306, serverId: 1 }, running: true, gtid: true }],
    })
  })

  it('is named as unknown where the client does not answer as one', async () => {
    for (const text of [
      'echo junk',
      client({ variables: variables({ version: 'x: !exec' }), end }),
      '[ "$(cat)" = "SELECT 1;" ] || yes "$(printf %0999d 1)"',
    ]) {
      const { database } = await discoverHere({ mariadb: `${text}\n` })
      expect(database).toBe('what the database server answered is not what MariaDB or MySQL say')
    }
  })

  it('is read within bounds where a small answer is a huge table', async () => {
    const { database } = await discoverHere({
      mariadb: client({
        variables: variables({ version: '11.8.3-MariaDB' }),
        // Each row has every column: 20 000 times 200 000 values in half a megabyte.
        accounts: ['\t'.repeat(200_000), ...Array.from({ length: 20_000 }, () => 'x')],
        end,
      }),
    })
    expect(database).toMatchObject({ type: 'mariadb', accounts: [] })
  })

  it('says why the login at a running database failed', async () => {
    const transport = fakeTransport({
      expect: [
        {
          script: 'say process',
          result: (script) => {
            const nonce = /^nonce=([0-9a-f]+)$/m.exec(script)?.[1]
            const refused = Buffer.from('ERROR 1698 (28000): \u001b[2JAccess denied\n').toString('base64')
            return { stdout: `${nonce}\tprocess\tmariadbd\n${nonce}\trefused\t${refused}\nprocess\tmysqld\n` }
          },
        },
      ],
    })
    const { database, programs } = await discoverHost(transport)
    expect(database).toBe('the login at it failed: ERROR 1698 (28000): \\x1b[2JAccess denied')
    expect([...programs]).toEqual([['mariadbd', 1]])
    expect(transport.scripts).toHaveLength(1)
  })

  it('fails by itself where the script does not run', async () => {
    const transport = {
      ...fakeTransport({}),
      run: async () => ({ code: 2, stdout: new HostText(''), stderr: new HostText('sed: not found') }),
    }
    await expect(discoverHost(transport)).rejects.toThrow('sed: not found')
  })
})
