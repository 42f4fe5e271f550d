import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { execute, type Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Keys written down by muster trust are those that OpenSSH itself takes, on servers and clients as Debian has them. */
describe.skipIf(labHere.missing)(`trusting keys of hosts${labHere.needs}`, () => {
  let lab: Lab
  let gate: LabHost
  let db1: LabHost
  let operator: Operator
  let known: string
  let config: string

  const words = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`
  const ssh = (host: LabHost, ...options: readonly string[]) => {
    const strict = ['StrictHostKeyChecking=yes', 'BatchMode=yes', 'UpdateHostKeys=no', ...options]
    const set = strict.flatMap((option) => ['-o', option])
    return execute('ssh', ['-F', config, '-i', lab.keyPath, ...set, `root@${host.address}`, 'hostname'])
  }
  const trust = (...args: readonly string[]) => operator.muster(['trust', ...args, 'alpha.yaml'])
  const fingerprints = async (host: LabHost): Promise<readonly string[]> => {
    const { stdout } = await host.run('for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $key; done')
    return [...stdout.matchAll(/SHA256:\S+/g)].map(([text]) => text).sort()
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: ['gate', 'db1'], node: true })
    gate = hostOf(lab, 'gate')
    db1 = hostOf(lab, 'db1')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    known = join(operator.directory, 'own', 'known_hosts')
    config = join(operator.directory, 'ssh_config')
    const lines = [
      `Host ${db1.address}`,
      `  ProxyJump root@${gate.address}`,
      'Match all',
      `  UserKnownHostsFile ${known}`,
      '  GlobalKnownHostsFile /dev/null',
      '  HashKnownHosts yes',
      `  IdentityFile ${lab.keyPath}`,
      '',
    ]
    writeFileSync(config, lines.join('\n'))
    const hosts = [{ name: 'db1' }]
    const text = clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts, ssh: { config } })
    operator.write('alpha.yaml', text.replace(/^ {2}known-hosts: .*\n/m, ''))
  })
  afterAll(() => lab?.stop())

  it('writes what ssh takes, with every type of key, the jump host’s too', async () => {
    expect((await ssh(gate)).code).toBe(255)
    const outcome = await trust('--yes')
    expect(outcome, words(outcome)).toMatchObject({ code: 0 })
    let count = 0
    for (const host of [gate, db1]) {
      const shown = await fingerprints(host)
      count += shown.length
      for (const fingerprint of shown) expect(outcome.stdout).toContain(fingerprint)
      for (const type of ['ssh-ed25519', 'ecdsa-sha2-nistp256']) {
        const through = await ssh(host, `HostKeyAlgorithms=${type}`)
        expect(through, words(through)).toMatchObject({ code: 0, stdout: `${host.name}\n` })
      }
    }
    expect(readFileSync(known, 'utf8').match(/^\|1\|/gm)).toHaveLength(count)
    expect(count).toBeGreaterThanOrEqual(4)
    expect(hostStates(await operator.muster(['status', '--json', 'alpha.yaml']))).toEqual({
      db1: 'not-installed',
    })
    const again = await trust()
    expect(again).toMatchObject({ code: 0, stderr: '' })
  })

  it('tells a changed key with both fingerprints, as everything refuses it', async () => {
    const old = await fingerprints(db1)
    // At once: each connection reads the keys anew.
    const renewed = await db1.run(
      'cd /etc/ssh && rm ssh_host_ed25519_key ssh_host_ed25519_key.pub && ssh-keygen -A && systemctl restart ssh',
    )
    expect(renewed, words(renewed)).toMatchObject({ code: 0 })
    expect((await ssh(db1, 'HostKeyAlgorithms=ssh-ed25519')).code).toBe(255)
    const refused = await operator.muster(['plan', 'alpha.yaml'])
    expect(words(refused)).toContain('[host-key-changed]')
    const outcome = await trust('--yes')
    expect(outcome.code).toBe(1)
    const [now] = /SHA256:\S+(?= {2}shown now)/.exec(outcome.stdout) ?? []
    expect(old).not.toContain(now)
    const [before] = /SHA256:\S+(?= {2}in )/.exec(outcome.stdout) ?? []
    expect(old).toContain(before)
    // All keys that the file has for the host go by one call of ssh-keygen.
    const [, command = ''] = /with "(ssh-keygen -R .*?)"/.exec(outcome.stdout.replaceAll(/\s+/g, ' ')) ?? []
    await execute('sh', ['-c', command])
    expect(await trust('--yes')).toMatchObject({ code: 0 })
    const through = await ssh(db1, 'HostKeyAlgorithms=ssh-ed25519')
    expect(through, words(through)).toMatchObject({ code: 0 })
  })
})
