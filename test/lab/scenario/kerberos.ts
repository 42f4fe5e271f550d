import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { must } from './onHost.ts'

const realm = 'LAB.TEST'
const principal = `ops@${realm}`

/** A realm of Kerberos whose key distribution center runs on this machine, and one user of it. */
export type Kerberos = {
  /** Variables by which programs of the operator find the realm and the ticket. */
  readonly environment: { readonly KRB5_CONFIG: string; readonly KRB5CCNAME: string }
  /** Logs the user in: kinit(1), with a key in place of a password. */
  readonly login: () => Promise<unknown>
  /** Removes the ticket: kdestroy(1). */
  readonly logout: () => Promise<unknown>
  /** Lets the user log in to a host as root. */
  readonly admit: (host: LabHost) => Promise<void>
  readonly stop: () => void
}

/** Starts the center at a port of loopback; needs the Debian packages krb5-kdc, krb5-admin-server and krb5-user. */
export async function startKerberos(directory: string, port: number): Promise<Kerberos> {
  const folder = join(directory, 'realm')
  mkdirSync(folder, { mode: 0o700 })
  const place = (name: string): string => join(folder, name)
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(place(name), `${lines.join('\n')}\n`)
  write('krb5.conf', [
    '[libdefaults]',
    `default_realm = ${realm}`,
    'dns_lookup_kdc = false',
    'dns_canonicalize_hostname = false',
    'rdns = false',
    '[realms]',
    `${realm} = {`,
    `  kdc = 127.0.0.1:${port}`,
    '}',
  ])
  write('kdc.conf', [
    '[kdcdefaults]',
    `kdc_listen = 127.0.0.1:${port}`,
    `kdc_tcp_listen = 127.0.0.1:${port}`,
    '[realms]',
    `${realm} = {`,
    `  database_name = ${place('principal')}`,
    `  key_stash_file = ${place('stash')}`,
    '}',
  ])
  const environment = { KRB5_CONFIG: place('krb5.conf'), KRB5CCNAME: `FILE:${place('ticket')}` }
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, ...environment, KRB5_KDC_PROFILE: place('kdc.conf') }
  const admin = (query: string) => succeed('kadmin.local', ['-r', realm, '-q', query], { env })
  await succeed('kdb5_util', ['create', '-s', '-r', realm], { env, input: 'master\nmaster\n' })
  await admin(`addprinc -randkey ${principal}`)
  await admin(`ktadd -k ${place('ops.keytab')} ${principal}`)
  const center: ChildProcess = spawn('krb5kdc', ['-n', '-r', realm], { env, stdio: 'ignore' })
  const login = () => succeed('kinit', ['-k', '-t', place('ops.keytab'), principal], { env })
  await eventually('the key distribution center', login)
  return {
    environment,
    login,
    logout: () => succeed('kdestroy', ['-q'], { env }),
    admit: async (host) => {
      const keytab = place(`${host.name}.keytab`)
      await admin(`addprinc -randkey host/${host.name}`)
      await admin(`ktadd -k ${keytab} host/${host.name}`)
      await succeed('install', ['-m', '600', keytab, join(host.root(), 'etc/krb5.keytab')])
      await succeed('install', ['-m', '644', place('krb5.conf'), join(host.root(), 'etc/krb5.conf')])
      await must(
        host,
        `echo ${principal} > /root/.k5login; echo 'GSSAPIAuthentication yes' > /etc/ssh/sshd_config.d/kerberos.conf; systemctl reload ssh`,
      )
    },
    stop: () => center.kill(),
  }
}
