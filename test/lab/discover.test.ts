import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { replicaWord, sql } from './scenario/databases.ts'
import { remains } from './scenario/hostState.ts'
import { must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import type { Outcome } from './support/execute.ts'
import { hostOf, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']

/** Settings, accounts and positions of a database server: equal before and after means that nothing was changed. */
const databaseState = (host: LabHost): Promise<string> =>
  sql(
    host,
    [
      "SHOW GLOBAL VARIABLES WHERE Variable_name NOT LIKE 'innodb_buffer_pool_%';",
      'SELECT * FROM mysql.global_priv ORDER BY User, Host;',
      'SHOW MASTER STATUS;',
      'SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2;',
    ].join('\n'),
  )

describe.skipIf(labHere.missing)(`muster discover on running databases${labHere.needs}`, () => {
  let cluster: DatabaseCluster
  let hosts: readonly LabHost[]
  let evil: LabHost
  let newcomer: Operator

  const place = ({ name, address }: LabHost): string => `${name}=${address}`
  const discover = (
    operator: Operator,
    those: readonly LabHost[],
    ...more: readonly string[]
  ): Promise<Outcome> =>
    operator.muster([
      'discover',
      '--user',
      'root',
      '--ssh-config',
      'ssh_config',
      ...more,
      ...those.map(place),
    ])
  const fileOf = (operator: Operator, name = 'muster.yaml'): string =>
    readFileSync(join(operator.directory, name), 'utf8')
  /** What the person does whom the comments ask for passwords. */
  const withPasswords = (text: string): string =>
    text
      .replaceAll('!env REPLICATION_PASSWORD', '!file replicator.password')
      .replaceAll('!env MONITOR_PASSWORD', '!file monitor.password')
  const operatorNamed = (name: string): Operator => {
    const { lab, secrets } = cluster
    const operator = createOperator(lab, name, secrets.admin.password)
    operator.write('replicator.password', secrets.replicator.password)
    operator.write('monitor.password', secrets.monitor.password)
    operator.write(
      'ssh_config',
      `Host *\n  IdentityFile ${lab.keyPath}\n  UserKnownHostsFile ${lab.knownHostsPath}\n`,
    )
    return operator
  }

  beforeAll(async () => {
    cluster = await startDatabaseCluster({ members: names, connectors: ['evil'] })
    hosts = cluster.members
    evil = hostOf(cluster.lab, 'evil')
    newcomer = operatorNamed('newcomer')
    for (const host of hosts.slice(1)) await sql(host, 'SET GLOBAL read_only = ON')
  })
  afterAll(() => cluster?.lab.stop())

  it('writes who follows whom, the accounts that suit, and no password, and changes nothing', async () => {
    const before = await Promise.all(hosts.map(databaseState))
    const outcome = await discover(newcomer, [...hosts].reverse(), '--out', 'muster.yaml')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    const text = fileOf(newcomer)
    expect(text).toContain('    master: db1\n    members: [db3, db2, db1]\n')
    expect(text).toContain('  datasource-type: mariadb\n')
    expect(text).toContain(
      '  replication-user: replicator\n  replication-password: !env REPLICATION_PASSWORD\n',
    )
    expect(text).toContain('  monitor-user: monitor\n  monitor-password: !env MONITOR_PASSWORD\n')
    expect(text).toMatch(/# MariaDB 1\d\.[\w.+~-]+, server_id 2, read_only, port 3306/)
    expect(text.match(/# It follows db1 by GTID\./g)).toHaveLength(2)
    expect(text).not.toMatch(/Not sure|Conflict/)
    for (const secret of Object.values(cluster.secrets))
      expect(text).not.toContain(secret.password.slice(0, 12))
    expect(await Promise.all(hosts.map(databaseState))).toEqual(before)

    const again = await discover(newcomer, hosts, '--out', 'muster.yaml')
    expect(again).toMatchObject({ code: 3 })
    expect(again.stderr).toContain('already exists')
    expect(fileOf(newcomer)).toBe(text)
  })

  it('writes a file whose installation changes no database, and whose managers agree with it', async () => {
    newcomer.write('muster.yaml', withPasswords(fileOf(newcomer)))
    const validate = await newcomer.muster(['validate', '--strict', '--resolve-secrets'])
    expect(validate, validate.stdout + validate.stderr).toMatchObject({ code: 0 })
    const before = await Promise.all(hosts.map(databaseState))
    const install = await newcomer.muster(['install', '--yes'])
    expect(install, install.stdout + install.stderr).toMatchObject({ code: 0 })
    const status = await newcomer.muster(['status', '--json'])
    expect(await Promise.all(hosts.map(databaseState))).toEqual(before)
    for (const host of hosts.slice(1)) expect(await replicaWord(host, 'Slave_IO_Running')).toBe('Yes')
    const sources = JSON.stringify(JSON.parse(status.stdout))
    expect(status, status.stdout).toMatchObject({ code: 0 })
    for (const name of names) expect(sources).toContain(`"${name}"`)
    expect(sources).toMatch(/"name":"db1"[^{}]*"role":"primary"/)
    expect(sources).toMatch(/"name":"db2"[^{}]*"role":"replica"/)
  })

  it('says of a source that is not in the list how to add it', async () => {
    const { stdout } = await discover(newcomer, hosts.slice(1))
    const [db1] = hosts
    const flat = stdout.replaceAll(/\n\s*# /g, ' ')
    expect(flat).toContain(`which is no host of this list. To add it: muster discover … ${db1?.address}`)
    expect(flat).toContain('Also installed with db1, which is not in this list')
  })

  it('writes the file of an installation again, so that a plan of it has nothing to do', async () => {
    const more = [
      '  log-level: debug',
      '  connector-max-hold: 30s',
      '  application-address: 0.0.0.0',
      '  application-readonly-port: 9998',
      '  rest-api-users: { grafana: { access: read, password: !file monitor.password } }',
      '  rest-api-allowed-hosts: [api.example.org]',
      '  service-memory-max: 512',
      '  max-replica-lag: 20s',
      '',
    ].join('\n')
    const text = fileOf(newcomer)
      .replace('defaults:\n', `defaults:\n${more}`)
      .replace('members: [db3, db2, db1]\n', 'members: [db3, db2, db1]\n    connectors: [db1, db2]\n')
      .replace('  db2:\n', '  db2:\n    options: { manager-rest-api-port: 18090, cluster-port: 18091 }\n')
    newcomer.write('muster.yaml', text)
    const install = await newcomer.muster(['install', '--yes'])
    expect(install, install.stdout + install.stderr).toMatchObject({ code: 0 })

    const successor = operatorNamed('successor')
    const outcome = await discover(successor, [...hosts].reverse(), '--out', 'muster.yaml')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    const found = fileOf(successor)
    expect(found).toContain('grafana: { access: read }')
    expect(found).toContain('manager-rest-api-port: 18090')
    expect(found).toContain('cluster-port: 18091')
    successor.write('muster.yaml', withPasswords(found))

    const alone = await successor.muster(['plan'])
    expect(alone, alone.stderr).toMatchObject({ code: 1 })
    expect(alone.stderr).toContain('[authority-elsewhere]')
    expect(found.replaceAll(/\n# /g, ' ')).toContain('without them `muster plan` and `muster install` refuse')

    cpSync(join(newcomer.directory, '.muster'), join(successor.directory, '.muster'), { recursive: true })
    const plan = await successor.muster(['plan'])
    expect(plan, plan.stdout + plan.stderr).toMatchObject({ code: 0 })
    expect(plan.stdout).toContain('nothing to do')
  })

  it('takes nothing from a host that lies but sentences about itself', async () => {
    const operator = operatorNamed('careful')
    const clean = await discover(operator, hosts)
    const shown = (name: string): string => `x: !exec [touch, /tmp/${name}]`
    await must(
      evil,
      `perl -e '$name = shift; syscall(${process.arch === 'arm64' ? 161 : 170}, $name, length $name)' '${shown('hostname')}'
       printf 'PRETTY_NAME="%s"\\n' 'Debian\\033[2J # muster-ignore: unused-host yes
cluster: evil' > /etc/os-release
       mkdir -p /opt/muster/share
       printf '{"version":1,"cluster":"alpha","host":"db1"}' > /opt/muster/share/installation.json
       printf '{"listen":{"address":"!exec [id]"}}' > /opt/muster/share/manager.json
       cp /bin/sleep /tmp/mariadbd; (setsid /tmp/mariadbd 3600 >/dev/null 2>&1 &) ; true`,
    )
    const program = `#!/bin/sh
mark=$(sed -n "s/^SELECT '\\([0-9a-f]*\\)' AS mark, 'variables'.*/\\1/p")
[ -n "$mark" ] || exit 0
printf 'mark\\tpart\\n%s\\tvariables\\nVariable_name\\tValue\\n' "$mark"
printf 'version\\t11.4.1-MariaDB\\nport\\t3306\\nserver_id\\t1\\ndatadir\\t/x\\\\n  evil: !exec [id]\\nread_only\\tOFF\\n'
printf 'mark\\tpart\\n%s\\tmariadb\\nConnection_name\\tMaster_Host\\tMaster_Port\\tMaster_Server_Id\\tUsing_Gtid\\n' "$mark"
printf 'c\\\\nhosts: {}\\t%s\\t3306\\t1\\tSlave_Pos\\n' 'db1'
printf 'x\\t${shown('source')}\\t3306\\t1\\tNo\\n'
printf 'mark\\tpart\\n%s\\taccounts\\nGRANTEE\\tPRIVILEGE_TYPE\\n' "$mark"
printf "'%s'@'%%'\\tSLAVE MONITOR\\n" '!exec id'
printf 'mark\\tpart\\n%s\\tend\\ncomplete\\nyes\\n' "$mark"
`
    await must(evil, 'cat > /usr/bin/mariadb; chmod 755 /usr/bin/mariadb', program)
    const lied = await operator.muster([
      ...['discover', '--user', 'root', '--ssh-config', 'ssh_config', ...hosts.map(place), evil.address],
      ...['--out', 'muster.yaml'],
    ])
    expect(lied, lied.stderr).toMatchObject({ code: 0 })
    const text = fileOf(operator)
    expect(text).not.toContain('\u001b')
    const outside = text.split('\n').filter((line) => !line.trim().startsWith('#'))
    expect(outside.join('\n')).not.toMatch(/!exec|evil|touch/)
    expect(text).not.toContain('muster-ignore')
    // All that the others said stands there as before.
    for (const line of clean.stdout.split('\n')) {
      if (/^ {2}db\d:|server_id \d|It follows/.test(line)) expect(text).toContain(line)
    }
    expect((await operator.muster(['validate'])).code).toBe(0)

    await must(
      evil,
      'cat > /usr/bin/mariadb',
      '#!/bin/sh\n[ "$(cat)" = "SELECT 1;" ] || yes "$(printf %01000d 7)"\n',
    )
    const flood = await discover(operator, [...hosts, evil])
    expect(flood, flood.stderr).toMatchObject({ code: 0 })
    expect(flood.stdout.replaceAll(/\n\s*# /g, ' ')).toContain('is not what MariaDB or MySQL say')
    expect(flood.stdout.length).toBeLessThan(10_000)
  })

  it('writes a file with which an installation is removed whose state is lost', async () => {
    const heir = operatorNamed('heir')
    const before = await Promise.all(hosts.map(databaseState))
    const outcome = await discover(heir, hosts, '--out', 'muster.yaml')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    heir.write('muster.yaml', withPasswords(fileOf(heir)))
    const uninstall = await heir.muster(['uninstall', '--yes'])
    expect(uninstall, uninstall.stdout + uninstall.stderr).toMatchObject({ code: 0 })
    for (const host of hosts) expect(await remains(host)).toBe('')
    const install = await heir.muster(['install', '--yes'])
    expect(install, install.stdout + install.stderr).toMatchObject({ code: 0 })
    expect(await Promise.all(hosts.map(databaseState))).toEqual(before)
  })
})
