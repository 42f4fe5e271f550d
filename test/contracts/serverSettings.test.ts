import { describe, expect, it } from 'vitest'
import { readServerSettings, type ServerSettings } from '../../src/contracts/serverSettings.ts'

const good: ServerSettings = {
  version: 1,
  cluster: 'alpha',
  host: 'db1',
  component: 'manager',
  listen: { address: '127.0.0.1', port: 8090 },
  socket: '/opt/muster/run/manager.sock',
  tls: { key: '/opt/muster/share/tls/key.pem', chain: '/opt/muster/share/tls/chain.pem' },
  usersFile: '/opt/muster/share/users.json',
  allowedHosts: ['db1', '10.0.0.11'],
  remoteBootstrap: false,
  logLevel: 'info',
}

const database = { type: 'mariadb', host: '127.0.0.1', port: 3306, user: 'muster', service: 'alpha' }
const switching = { user: 'muster', maxLag: 1, maxTransaction: 1, drainTimeout: 1, maxHold: 1 }
const secretsFile = '/opt/muster/share/secrets.json'

const peer = { name: 'db2', names: ['db2'] }
const channel = { address: '0.0.0.0', port: 8091 }
const manager = { ...peer, address: '10.0.0.12', port: 8090 }

describe('readServerSettings', () => {
  it.each([
    good,
    { ...good, auditFile: '/opt/muster/log/manager.audit.jsonl' },
    { ...good, listen: null },
    { ...good, pidFile: '/run/pid', user: 'muster' },
  ])('accepts what a deployment writes', (settings) => {
    expect(readServerSettings(JSON.stringify(settings))).toEqual(settings)
  })

  it.each([
    [{ ...good, version: 2 }, '/version must be 1'],
    [{ ...good, component: 'proxy' }, '/component must be one of "manager", "connector", "replicator"'],
    [{ ...good, listen: { address: '127.0.0.1', port: 70_000 } }, '/listen/port must be <= 65535'],
    [{ ...good, listen: { address: '127.0.0.1' } }, '/listen/port is missing'],
    [{ ...good, socket: 'run/x.sock' }, '/socket must be an absolute path'],
    [{ ...good, auditFile: 'audit.jsonl' }, '/auditFile must be an absolute path'],
    [{ ...good, tls: { ...good.tls, ca: '/x' } }, '/tls/ca is not a known member'],
    [{ ...good, remoteBootstrap: 'no' }, '/remoteBootstrap must be true or false'],
    [{ ...good, extra: 1 }, '/extra is not a known member'],
    [{ ...good, database }, '/secretsFile is missing: it holds the password of the database'],
    [
      { ...good, secretsFile, database: { ...database, type: 'oracle' } },
      '/database/type must be one of "mariadb", "mysql"',
    ],
    [{ ...good, secretsFile, database: { ...database, port: 0 } }, '/database/port must be >= 1'],
    [
      { ...good, secretsFile, database: { ...database, password: 'x' } },
      '/database/password is not a known member',
    ],
    [{ ...good, switching }, '/secretsFile is missing: it holds the password of the database'],
    [{ ...good, secretsFile, switching }, '/services is missing: it names the data sources'],
    [{ ...good, switching: { ...switching, maxLag: -1 } }, '/switching/maxLag must be >= 0'],
    [{ ...good, peers: [peer], channel }, '/tls/authorities is missing: it proves other hosts'],
    [{ ...good, peers: [peer] }, '/channel is missing: a channel is for the hosts that may use it'],
    [{ ...good, channel }, '/peers is missing: a channel is for the hosts that may use it'],
    [{ ...good, managers: [manager] }, '/tls/authorities is missing: it proves other hosts'],
    [null, 'the file must be an object'],
  ])('says in one sentence what is wrong with %j', (settings, message) => {
    expect(() => readServerSettings(JSON.stringify(settings))).toThrow(new Error(message))
  })

  it('says that a file is not JSON, and quotes nothing of it', () => {
    expect(() => readServerSettings('root:$y$secret')).toThrow(
      /^it is not JSON(: the fault is at position \d+)?$/,
    )
  })
})
