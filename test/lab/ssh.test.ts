import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusterWish, clusterFile } from './scenario/clusterFile.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** What works with `ssh HOST` works here, on OpenSSH and sudo as Debian has them. */
describe.skipIf(labHere.missing)(`the way to hosts${labHere.needs}`, () => {
  let lab: Lab
  let gate: LabHost
  let db1: LabHost
  let db2: LabHost
  let operator: Operator
  const sudoPassword = `s'"$#%:@ é`

  const words = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`
  const describeCluster = (ssh: ClusterWish['ssh']) => {
    const hosts = [{ name: 'db1' }, { name: 'db2', ops: true }]
    const wish = { cluster: 'alpha', topology: 'clustered', hosts, ...(ssh && { ssh }) } as const
    operator.write('alpha.yaml', clusterFile(lab, wish))
  }
  const status = async () => operator.muster(['status', '--json', 'alpha.yaml'])
  const reached = { db1: 'not-installed', db2: 'not-installed' }
  /** Where each login by key came from so far, as sshd wrote it down. */
  const logins = async (host: LabHost): Promise<readonly string[]> => {
    const { stdout } = await host.run('journalctl -u ssh -o cat | grep "^Accepted publickey"')
    return [...stdout.matchAll(/ from (\S+) port /g)].map(([, address = '']) => address)
  }
  const config = (host: LabHost, file: string, text: string) =>
    host.run(`cat > ${file} && chmod 0440 ${file} && { systemctl reload ssh || true; }`, { stdin: text })

  beforeAll(async () => {
    lab = await startLab({ hosts: ['gate', 'db1', 'db2'], ops: ['db2'], node: true })
    gate = hostOf(lab, 'gate')
    db1 = hostOf(lab, 'db1')
    db2 = hostOf(lab, 'db2')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    operator.write('sudo-pass', `${sudoPassword}\n`)
    const set = await db2.run('chpasswd', { stdin: `ops:${sudoPassword}\n` })
    expect(set, set.stderr).toMatchObject({ code: 0 })
  })
  afterAll(() => lab?.stop())

  const loginsFrom = async (host: LabHost, from: LabHost): Promise<number> =>
    (await logins(host)).filter((address) => address === from.address).length

  it('leads through a jump host, over one connection for all hosts', async () => {
    const before = (await logins(gate)).length
    const fromGate = await loginsFrom(db1, gate)
    describeCluster({ jump: `root@${gate.address}` })
    const outcome = await status()
    expect(hostStates(outcome), words(outcome)).toMatchObject(reached)
    // The journal lags a little behind.
    await expect.poll(async () => (await logins(gate)).length).toBe(before + 1)
    await expect.poll(() => loginsFrom(db1, gate)).toBe(fromGate + 1)
  })

  it('leads through several, as an ssh_config says', async () => {
    const file = join(operator.directory, 'ssh_config')
    const lines = [
      'Host db1',
      '  ProxyJump db2',
      'Host db2',
      `  HostName ${db2.address}`,
      `  ProxyJump root@${gate.address}`,
      'Match all',
      '  User root',
      '',
    ]
    writeFileSync(file, lines.join('\n'))
    const before = await loginsFrom(db1, db2)
    describeCluster({ config: file })
    const outcome = await status()
    expect(hostStates(outcome), words(outcome)).toMatchObject(reached)
    await expect.poll(() => loginsFrom(db1, db2)).toBe(before + 1)
  })

  it('is told with the jump host that lets nobody through', async () => {
    const file = '/etc/ssh/sshd_config.d/lab.conf'
    await config(gate, file, 'AllowTcpForwarding no\n')
    try {
      describeCluster({ jump: `root@${gate.address}` })
      const outcome = await operator.muster(['plan', 'alpha.yaml'])
      expect(outcome.code).toBe(1)
      for (const name of ['db1', 'db2']) {
        expect(words(outcome)).toMatch(
          new RegExp(`the jump host ${gate.address} refuses to forward connections to ${name} `),
        )
      }
      expect(words(outcome)).toContain('[forwarding-refused]')
    } finally {
      await config(gate, file, '')
    }
  })

  it('is told with the host that is down behind the jump host', async () => {
    describeCluster({ jump: `root@${gate.address}`, port: '2' })
    const outcome = await operator.muster(['plan', 'alpha.yaml'])
    expect(outcome.code).toBe(4)
    expect(words(outcome)).toMatch(/cannot connect to db1 \(\S+ port 2\): .*Connection refused/)
  })

  describe('with a password for sudo', () => {
    const rule = '/etc/sudoers.d/ops'
    const asks = 'ops ALL=(ALL) ALL\n'
    const plan = async (password: string): Promise<Outcome> => {
      operator.write('sudo-pass', `${password}\n`)
      describeCluster({ 'become-password': '!file sudo-pass' })
      return operator.muster(['plan', 'alpha.yaml'])
    }

    beforeAll(() => config(db2, rule, asks))
    afterAll(() => config(db2, rule, 'ops ALL=(ALL) NOPASSWD: ALL\n'))

    it('says that one is needed', async () => {
      describeCluster({})
      const outcome = await operator.muster(['plan', 'alpha.yaml'])
      expect(outcome.code).toBe(1)
      expect(words(outcome)).toContain('sudo on db2 requires a password for ops: ')
    })

    it('tries a wrong one once', async () => {
      const outcome = await plan('wrong')
      expect(outcome.code).toBe(1)
      expect(words(outcome)).toContain('sudo on db2 refused the password of ops: ')
      const { stdout } = await db2.run(
        'journalctl -o cat | grep -c "pam_unix(sudo:auth): authentication failure"',
      )
      expect(Number(stdout)).toBe(1)
    })

    it('says that sudo wants a terminal, or does not allow it', async () => {
      await config(db2, rule, `Defaults:ops requiretty\n${asks}`)
      expect(words(await plan(sudoPassword))).toContain('sudo on db2 requires a terminal (requiretty)')
      await config(db2, rule, 'ops ALL=(ALL) /bin/true\n')
      const outcome = await plan(sudoPassword)
      expect(words(outcome)).toContain('sudo on db2 does not let ops become root: ')
      expect(words(outcome)).not.toContain('iflag=fullblock')
      await config(db2, rule, asks)
    })

    it('installs through a jump host, and shows and leaves the password nowhere', async () => {
      operator.write('sudo-pass', `${sudoPassword}\n`)
      describeCluster({ jump: `root@${gate.address}`, 'become-password': '!file sudo-pass' })
      const outcome = await operator.muster(['install', '--yes', 'alpha.yaml'])
      expect(outcome, words(outcome)).toMatchObject({ code: 0 })
      const again = await operator.muster(['plan', 'alpha.yaml'])
      expect(again, words(again)).toMatchObject({ code: 0 })
      expect(operator.printed()).not.toContain(sudoPassword)
      const found = await db2.run('grep -rslF -f - /var/log /opt /tmp /run/log /home || true', {
        stdin: `${sudoPassword}\n`,
      })
      expect(found.stdout).toBe('')
    })
  })
})
