import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import type { HostCertificates } from '../../src/deployment/certificates/hostCertificates.ts'
import { makeAuthority, makeLeaf, type TestAuthority } from '../support/clientCertificate.ts'
import { askOnce } from './scenario/client.ts'
import { type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { sql } from './scenario/databases.ts'
import { type ServerKind, serverKinds } from './scenario/serverKind.ts'
import { eventually } from './support/eventually.ts'
import { hostOf, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const folder = '/etc/mysql/tls'
/** Has a replica verify its source. */
const verifySource = {
  mariadb: `CHANGE MASTER TO MASTER_SSL = 1, MASTER_SSL_CA = '${folder}/ca.pem', MASTER_SSL_VERIFY_SERVER_CERT = 1`,
  mysql: `CHANGE REPLICATION SOURCE TO SOURCE_SSL = 1, SOURCE_SSL_CA = '${folder}/ca.pem', SOURCE_SSL_VERIFY_SERVER_CERT = 1`,
} as const
const reload = { mariadb: 'FLUSH LOCAL SSL', mysql: 'ALTER INSTANCE RELOAD TLS' } as const

/** Gives a server a certificate of its own, which it takes up with its next start or by `reload`. */
async function certify(host: LabHost, by: TestAuthority, names = [host.name, host.address]): Promise<void> {
  const { key, cert } = makeLeaf(by, { names })
  mkdirSync(join(host.root(), folder), { recursive: true })
  writeFileSync(join(host.root(), folder, 'key.pem'), key)
  writeFileSync(join(host.root(), folder, 'cert.pem'), cert)
  const { code, stderr } = await host.run(`chown -R mysql: ${folder}`)
  if (code !== 0) throw new Error(stderr)
}

/** Puts the file of authorities in place whole: one that is written over can be read half. */
function trust(host: LabHost, ...authorities: readonly TestAuthority[]): void {
  const file = join(host.root(), folder, 'ca.pem')
  writeFileSync(`${file}.new`, authorities.map(({ certificate }) => certificate).join(''))
  renameSync(`${file}.new`, file)
}

async function serveTls(
  host: LabHost,
  { configuration, unit, type }: ServerKind,
  connectors: readonly LabHost[],
): Promise<void> {
  const networks = connectors.map(({ address }) => address).join(', ')
  const lines = [
    ...[`ssl_ca = ${folder}/ca.pem`, `ssl_cert = ${folder}/cert.pem`, `ssl_key = ${folder}/key.pem`],
    ...(type === 'mariadb' ? [`proxy_protocol_networks = ${networks}`] : []),
  ]
  writeFileSync(join(host.root(), configuration.folder, 'zz-tls.cnf'), ['[mysqld]', ...lines, ''].join('\n'))
  const { code, stderr } = await host.run(`systemctl restart ${unit}`)
  if (code !== 0) throw new Error(stderr)
}

describe.skipIf(labHere.missing).each([serverKinds.mariadb10, serverKinds.mysql])(
  `a cluster whose databases of $name have to prove themselves${labHere.needs}`,
  (kind) => {
    const authority = makeAuthority('databases')
    let lab: DatabaseCluster
    beforeAll(async () => {
      lab = await startDatabaseCluster({
        members: ['db1', 'db2', 'db3'],
        defaults: [`database-tls-authority: ${folder}/ca.pem`, 'application-proxy-protocol: true'],
        kind,
      })
    })
    afterAll(() => lab?.lab.stop())

    const install = () => lab.operator.muster(['install', '--yes', 'alpha.yaml'])
    const check = () => lab.operator.muster(['check', '--json', 'alpha.yaml'])
    const certificates = async (): Promise<readonly unknown[]> => {
      const { stdout } = await lab.operator.muster(['cert', 'list', '--json', 'alpha.yaml'])
      return JSON.parse(stdout).hosts.map(({ database }: HostCertificates) => database?.served)
    }
    const signedBy = (issuer: string) => lab.members.map(() => expect.objectContaining({ issuer }))
    const checkCertificates = () => lab.operator.muster(['cert', 'check', '--format', 'json', 'alpha.yaml'])
    const member = (name: string) => (): LabHost => hostOf(lab.lab, name)
    const [db1, db2, db3] = [member('db1'), member('db2'), member('db3')]

    it('is incomplete while they take no TLS that proves them, and its clients go on', async () => {
      for (const host of lab.members) {
        await certify(host, makeAuthority('another authority'))
        trust(host, authority)
        await serveTls(host, kind, lab.members)
      }
      const { code, stdout, stderr } = await install()
      const text = `${stdout}${stderr}`
      expect(code, text).toBe(6)
      for (const { address } of lab.members) {
        expect(text).toContain(
          `The certificate of the database ${address}:3306 is not signed by an authority`,
        )
      }
      expect(text).toMatch(/INCOMPLETE.*no login at .*, which did not prove itself/)
      expect(text).not.toContain('CREATE USER')
      for (const { name } of lab.members) {
        const [seen] = await lab.seenAs(name, 'UNKNOWN')
        expect(seen?.reason).toMatch(
          /^It cannot be checked\. The certificate of the database .* is not signed/,
        )
      }
      expect(await lab.serverOf(lab.through(db3()))).toBe(1)
      const { code: found, stdout: findings } = await check()
      expect(found, findings).toBe(exitCodes.failed)
      expect(findings).toContain('openssl s_client -starttls mysql')
      const foreign = await checkCertificates()
      expect(foreign.code, foreign.stdout).toBe(exitCodes.failed)
      expect(foreign.stdout.match(/did not prove itself: [^"]* is not signed by an authority/g)).toHaveLength(
        3,
      )
    })

    it('takes up their certificates without a restart of anything, and logs in nowhere in clear', async () => {
      for (const host of lab.members) {
        await certify(host, authority)
        await sql(host, reload[kind.type])
      }
      await lab.allOnline()
      const accounts = ['replicator', 'monitor'].map((user) => `ALTER USER ${user}@'%' REQUIRE SSL`)
      await sql(db1(), accounts.join('; '))
      const again = await install()
      expect(again.code, `${again.stdout}${again.stderr}`).toBe(0)
      const { code, stdout } = await check()
      expect({ code, replicas: stdout.match(/need not prove itself to it/g)?.length }).toEqual({
        code: 0,
        replicas: 2,
      })
      expect(await certificates()).toEqual(signedBy('CN=databases'))
      for (const host of [db2(), db3()]) {
        await sql(host, `${kind.stop}; ${verifySource[kind.type]}; ${kind.start}`)
      }
      await lab.allOnline()
      const moved = await lab.operator.muster(['switch', '--yes', '--to', 'db2', 'alpha.yaml'])
      expect(moved.code, `${moved.stdout}${moved.stderr}`).toBe(0)
      await lab.allOnline()
      const after = await check()
      expect(after.stdout.match(/follows only one that proves itself/g)).toHaveLength(2)
    })

    it('has its connectors name their clients to a server that takes that', async () => {
      const words = String(await askOnce(lab.through(db3()), 'SELECT USER()'))
      const { reason } = await lab.connector(db3())
      const isFromConnector = lab.members.some(({ address }) => words.endsWith(`@${address}`))
      expect({ isFromConnector, reason }).toEqual(
        kind.type === 'mariadb'
          ? { isFromConnector: false, reason: null }
          : {
              isFromConnector: true,
              reason: expect.stringContaining('does not take the PROXY protocol from this host'),
            },
      )
    })

    it('leaves out a server that somebody else answers for, and takes it back with its next certificate', async () => {
      await certify(db3(), authority, ['db1', 'localhost', '127.0.0.1'])
      await sql(db3(), reload[kind.type])
      const seen = await lab.seenAs('db3', 'UNKNOWN')
      for (const { reason } of seen) expect(reason).toMatch(/is for DNS:db1.*, not for .* or db3\./)
      const refused = await lab.operator.muster(['switch', '--yes', '--to', 'db3', 'alpha.yaml'])
      expect(refused.code, `${refused.stdout}${refused.stderr}`).not.toBe(0)
      expect(await lab.serverOf(lab.through(db2()))).toBe(2)
      const wrong = await checkCertificates()
      expect(wrong.stdout).toMatch(/The database of db3 did not prove itself: [^"]* is for DNS:db1/)
      await certify(db3(), authority, [db3().address])
      await sql(db3(), reload[kind.type])
      await lab.seenAs('db3', 'ONLINE')
    })

    it('goes over to another authority, host by host, and nobody notices', async () => {
      const next = makeAuthority('the next one')
      const looks: string[] = []
      const look = async (): Promise<void> => {
        const service = await lab.service(db2())
        looks.push(
          ...Object.values(service.datasources).flatMap(({ name, state, reason }) =>
            state === 'ONLINE' ? [] : [`${name} is ${state}: ${reason}`],
          ),
        )
      }
      const everywhere = async (change: (host: LabHost) => Promise<void> | void): Promise<void> => {
        for (const host of lab.members) {
          await change(host)
          await look()
        }
      }
      await everywhere((host) => trust(host, authority, next))
      await everywhere(async (host) => {
        await certify(host, next)
        await sql(host, reload[kind.type])
      })
      await everywhere((host) => trust(host, next))
      for (const host of lab.members) {
        const [, last = ''] = (await sql(host, "SHOW GLOBAL STATUS LIKE 'Connections'")).split('\t')
        const connections = 'SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '
        await eventually(`the logins at ${host.name} by the new authority`, async () => {
          await look()
          const counts = await sql(
            host,
            `${connections}'monitor' AND ID <= ${last}; ${connections}'monitor' AND ID > ${last}`,
          )
          return counts === '0\n3'
        })
      }
      expect(looks).toEqual([])
      expect(await check()).toMatchObject({ code: 0 })
      expect(await certificates()).toEqual(signedBy('CN=the next one'))
      const ends = await checkCertificates()
      expect(ends.stdout.match(/The certificate of the database of db\d expires on/g)).toHaveLength(3)
      expect(ends.stdout).not.toContain('prove itself')
    })
  },
)
