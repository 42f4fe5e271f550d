import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusterWish, clusterFile } from './scenario/clusterFile.ts'
import { everythingOn } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { type Outcome, succeed } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`an installation that cannot be${labHere.needs}`, () => {
  let lab: Lab
  let db1: LabHost
  let db2: LabHost
  let operator: Operator
  let before: readonly (readonly string[])[]

  const everything = () => Promise.all([db1, db2].map(everythingOn))
  const words = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`

  /** Tries to install a variant of the file, and sees that it was refused cleanly and nothing touched. */
  async function refused(wish: Partial<ClusterWish>): Promise<Outcome> {
    const hosts = [{ name: 'db1' }, { name: 'db2', ops: true }]
    const whole = { cluster: 'alpha', topology: 'clustered', hosts, ...wish } as const
    operator.write('alpha.yaml', clusterFile(lab, whole))
    const outcome = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(words(outcome)).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
    expect(await everything()).toEqual(before)
    expect(existsSync(join(operator.directory, '.muster', 'alpha', 'authority.key'))).toBe(false)
    return outcome
  }

  /** How often a message says this: each trouble is told once. */
  const times = (outcome: Outcome, pattern: RegExp) => [...words(outcome).matchAll(pattern)].length

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1', 'db2'], ops: ['db2'], node: true })
    db1 = hostOf(lab, 'db1')
    db2 = hostOf(lab, 'db2')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    before = await everything()
  })
  afterAll(() => lab?.stop())

  it('names the host and the port that something else has', async () => {
    const options = '--unit=occupant --socket-property=ListenStream=0.0.0.0:8096'
    const taken = await db2.run(`systemd-run ${options} sleep infinity`)
    expect(taken, taken.stderr).toMatchObject({ code: 0 })
    try {
      const outcome = await refused({})
      expect(outcome.code).toBe(1)
      expect(times(outcome, /db2.*8096/g)).toBe(1)
      expect(words(outcome)).toContain('connector-rest-api-port')
    } finally {
      await db2.run('systemctl stop occupant.socket occupant.service')
    }
  })

  it('stops at a changed host key, with both fingerprints', async () => {
    const other = join(lab.directory, 'other_known_hosts')
    const key = `${db2.address} ${db1.hostKey().split(' ').slice(0, 2).join(' ')}\n`
    const known = readFileSync(lab.knownHostsPath, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith(`${db2.address} `))
    writeFileSync(other, known.join('\n') + key)
    const outcome = await refused({ ssh: { 'known-hosts': other } })
    expect(outcome.code).toBe(1)
    expect(new Set(words(outcome).match(/SHA256:[\w+/]{43}/g)).size).toBe(2)
    expect(words(outcome)).toContain('db2')
  })

  it('stops at a host key that nobody has vouched for', async () => {
    const empty = join(lab.directory, 'empty_known_hosts')
    writeFileSync(empty, '')
    const outcome = await refused({ ssh: { 'known-hosts': empty } })
    expect(outcome.code).toBe(1)
    expect(words(outcome)).toMatch(/SHA256:[\w+/]{43}/)
  })

  it('says so when the login is refused', async () => {
    const stranger = join(lab.directory, 'stranger')
    await succeed('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', stranger])
    const outcome = await refused({ ssh: { identity: stranger } })
    expect(outcome.code).toBe(1)
    expect(words(outcome)).toContain('db1')
    expect(words(outcome)).toContain('root')
  })

  it('says so when the login may not become root', async () => {
    const rule = '/etc/sudoers.d/ops'
    await db2.run(`mv ${rule} /run/ops-rule`)
    before = await everything()
    try {
      const outcome = await refused({})
      expect(outcome.code).toBe(1)
      expect(words(outcome)).toContain('sudo')
      expect(words(outcome)).toContain('db2')
    } finally {
      await db2.run(`mv /run/ops-rule ${rule}`)
      before = await everything()
    }
  })

  it('exits with 4 when a host cannot be reached, and leaves the others alone', async () => {
    const hosts = [{ name: 'db1' }, { name: 'db2', ops: true, address: lab.unusedAddress }]
    const outcome = await refused({ hosts })
    expect(outcome.code).toBe(4)
    expect(words(outcome)).toContain('db2')
    const status = await operator.muster(['status', '--json', 'alpha.yaml'])
    expect(status.code).toBe(4)
    expect(hostStates(status)).toMatchObject({ db1: 'not-installed', db2: 'unreachable' })
  })

  it('reports a mistake in the file with its position and reaches for no host', async () => {
    operator.write('wrong.yaml', 'cluster: alpha\ndefaults:\n  rest-api-admin-usr: admin\n')
    const outcome = await operator.muster(['install', '--yes', 'wrong.yaml'])
    expect(outcome.code).toBe(1)
    expect(words(outcome)).toMatch(/wrong\.yaml:3:\d+/)
    expect(words(outcome)).toContain('rest-api-admin-user')
    expect(await everything()).toEqual(before)
  })
})
