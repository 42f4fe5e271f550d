import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { everythingOn } from './scenario/hostState.ts'
import { type Kerberos, startKerberos } from './scenario/kerberos.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { type Outcome, succeed } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { installed, labHere } from './support/requirements.ts'

const { password } = makeSentinel()
const file = 'alpha.yaml'
const words = ({ stdout, stderr }: Outcome): string => `${stdout}${stderr}`
const succeeded = (outcome: Outcome): Outcome => {
  expect(outcome, words(outcome)).toMatchObject({ code: 0 })
  return outcome
}

/** Logins that the built-in client cannot make, on OpenSSH as Debian has it; `auto` finds out by itself. */
describe.skipIf(labHere.missing)(`a login that only the system's ssh can make${labHere.needs}`, () => {
  let lab: Lab
  let gate: LabHost
  let db1: LabHost

  /** Writes the file of a host behind what an ssh_config says; no key of the lab is named. */
  const describeCluster = (
    operator: Operator,
    { config, ssh = {} }: { config: readonly string[]; ssh?: Readonly<Record<string, string>> },
  ): void => {
    const hosts = [{ name: 'db1' }]
    const path = operator.write('ssh_config', `${config.join('\n')}\n`)
    const text = clusterFile(lab, {
      cluster: 'alpha',
      topology: 'clustered',
      hosts,
      ssh: { config: path, ...ssh },
    })
    operator.write(file, ssh.identity === undefined ? text.replace(/^ {2}identity: .*\n/m, '') : text)
  }
  /** How each login to a host was made so far, as sshd wrote it down. */
  const loginsBy = async (host: LabHost, method: string): Promise<number> => {
    const { stdout } = await host.run(`journalctl -u ssh -o cat | grep -c "^Accepted ${method}" || true`)
    return Number(stdout)
  }
  const installsAndLeavesNothing = async (operator: Operator): Promise<void> => {
    const before = await everythingOn(db1)
    succeeded(await operator.muster(['install', '--yes', file]))
    const plan = succeeded(await operator.muster(['plan', file]))
    expect(plan.stdout).toContain('nothing to do')
    const status = await operator.muster(['status', '--json', file])
    expect(hostStates(status), words(status)).toEqual({ db1: 'up' })
    succeeded(await operator.muster(['uninstall', '--yes', '--purge', file]))
    expect(await everythingOn(db1)).toEqual(before)
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: ['gate', 'db1'], node: true })
    gate = hostOf(lab, 'gate')
    db1 = hostOf(lab, 'db1')
  })
  afterAll(() => lab?.stop())

  const hasKerberos = ['krb5kdc', 'kadmin.local', 'kinit'].every(installed)
  const needsKerberos = hasKerberos ? '' : ' (needs krb5-kdc, krb5-admin-server and krb5-user)'
  describe.skipIf(!hasKerberos)(`by Kerberos${needsKerberos}`, () => {
    let kerberos: Kerberos
    let operator: Operator
    // Principals have the names of hosts, which nobody here can look up.
    const config = (): readonly string[] => [
      'Host db1',
      '  ProxyJump gate',
      '  GSSAPIServerIdentity db1',
      'Host gate',
      `  HostName ${gate.address}`,
      '  GSSAPIServerIdentity gate',
      'Match all',
      '  User root',
      '  PubkeyAuthentication no',
      '  GSSAPIAuthentication yes',
    ]

    beforeAll(async () => {
      kerberos = await startKerberos(lab.directory, await freePort())
      for (const host of [gate, db1]) await kerberos.admit(host)
      operator = createOperator(lab, 'kerberos', password, kerberos.environment)
      describeCluster(operator, { config: config() })
    })
    afterAll(() => kerberos?.stop())

    it('installs a host behind a bastion, plans, shows the status and uninstalls', async () => {
      await installsAndLeavesNothing(operator)
      expect(await loginsBy(gate, 'gssapi-with-mic')).toBe(4)
      expect(await loginsBy(db1, 'gssapi-with-mic')).toBe(4)
    })

    it('is refused with the way to a ticket if there is none', async () => {
      await kerberos.logout()
      const outcome = await operator.muster(['plan', file])
      expect(outcome.code).toBe(1)
      expect(words(outcome)).toContain('kinit')
      await kerberos.login()
      const status = await operator.muster(['status', '--json', file])
      expect(hostStates(status), words(status)).toEqual({ db1: 'not-installed' })
    })
  })

  const canCompile = installed('gcc') && existsSync('/usr/include/openssl/evp.h')
  const needsCompiler = canCompile ? '' : ' (needs gcc and libssl-dev)'
  describe.skipIf(!canCompile)(`with the key of a security token${needsCompiler}`, () => {
    const touches = (): number =>
      existsSync(join(lab.directory, 'touches'))
        ? readFileSync(join(lab.directory, 'touches'), 'utf8').length
        : 0
    let operator: Operator

    beforeAll(async () => {
      const [library, key] = [join(lab.directory, 'token.so'), join(lab.directory, 'id_token')]
      const source = fileURLToPath(new URL('scenario/securityToken.c', import.meta.url))
      const counter = `-DTOUCHES="${join(lab.directory, 'touches')}"`
      await succeed('gcc', ['-shared', '-fPIC', counter, '-o', library, source, '-lcrypto'])
      await succeed('ssh-keygen', ['-q', '-t', 'ed25519-sk', '-w', library, '-N', '', '-f', key])
      appendFileSync(join(db1.root(), 'root/.ssh/authorized_keys'), readFileSync(`${key}.pub`, 'utf8'))
      operator = createOperator(lab, 'token', password)
      describeCluster(operator, { config: [`SecurityKeyProvider ${library}`], ssh: { identity: key } })
    })

    it('installs, plans, shows the status and uninstalls, with one touch for each command', async () => {
      const before = touches()
      await installsAndLeavesNothing(operator)
      expect(touches() - before).toBe(4)
    })
  })
})
