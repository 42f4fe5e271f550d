import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, callFrom, statusOf, trustAuthority } from './scenario/apiFromHost.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { betrayedBy } from './scenario/filesBelow.ts'
import { everythingOn, installationState, pidsOf } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { watchProcesses } from './scenario/processWatch.ts'
import { changingHosts, hostResults, hostStates } from './scenario/reports.ts'
import { betrays, makeSentinel } from './scenario/sentinel.ts'
import { execute } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { installed, labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const ports = [8090, 8096, 8097]
const sentinel = makeSentinel()
const { password } = sentinel
/** As without a variable of tests: hashes of the full cost. */
const fullCost = { MUSTER_TEST_SCRYPT_LN: '' }

describe.skipIf(labHere.missing)(`an installation on three hosts${labHere.needs}`, () => {
  let lab: Lab
  let hosts: readonly LabHost[]
  let operator: Operator
  let state: string

  const statesOf = () => Promise.all(hosts.map(installationState))

  beforeAll(async () => {
    lab = await startLab({ hosts: names, ops: ['db2', 'db3'] })
    hosts = names.map((name) => hostOf(lab, name))
    operator = createOperator(lab, 'first', password, fullCost)
    const wish = names.map((name) => ({ name, ops: name !== 'db1' }))
    operator.write('alpha.yaml', clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts: wish }))
    state = join(operator.directory, '.muster', 'alpha')
  })
  afterAll(() => lab?.stop())

  it('starts from a file that validate finds nothing wrong with', async () => {
    expect(await operator.muster(['validate', 'alpha.yaml'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('plan says that every host would change, and writes nothing on any', async () => {
    const before = await Promise.all(hosts.map(everythingOn))
    const plan = await operator.muster(['plan', 'alpha.yaml'])
    expect(plan, plan.stderr).toMatchObject({ code: 2 })
    for (const name of names) expect(plan.stdout).toContain(name)
    expect(changingHosts(await operator.muster(['plan', '--json', 'alpha.yaml']))).toEqual(names)
    expect(await Promise.all(hosts.map(everythingOn))).toEqual(before)
  })

  it('install --yes succeeds, and no process on either side ever shows the password', async () => {
    const watch = watchProcesses(sentinel)
    const options = { onStart: watch.allowEnvironment }
    const install = await operator.muster(['install', '--yes', 'alpha.yaml'], options)
    const { seen, looks } = await watch.stop()
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    expect(looks).toBeGreaterThan(20)
    expect(seen).toEqual([])
    for (const host of hosts) {
      expect(Object.values(await pidsOf(host, 'alpha')).every((pid) => pid > 0)).toBe(true)
    }
  })

  it('curl reads the administrator on each port of each host from another host, with the authority alone', async () => {
    const from = hostOf(lab, 'db3')
    await Promise.all(hosts.map((host) => trustAuthority(host, join(state, 'authority.crt'))))
    const readsOn = async (host: LabHost, port: number): Promise<void> => {
      // From db3 to the others, and from db1 to db3.
      const caller = host === from ? hostOf(lab, 'db1') : from
      const call = { address: host.address, port, path: '/api/v2/user/admin' }
      const answer = await callFrom(caller, { ...call, user: 'admin', password })
      expect(statusOf(answer), answer.stdout + answer.stderr).toBe(200)
      expect(bodyOf(answer)).toMatchObject({
        payloadType: 'CredentialsPayload',
        payload: { user: 'admin', pass: '**obfuscated**', access: 'full' },
      })
      expect(statusOf(await callFrom(caller, { ...call, user: 'admin', password: 'wrong' }))).toBe(401)
      const byName = await callFrom(caller, { ...call, address: host.name, user: 'admin', password })
      expect(statusOf(byName), byName.stderr).toBe(200)
    }
    for (const port of ports) await Promise.all(hosts.map((host) => readsOn(host, port)))
  })

  it.skipIf(!installed('keytool'))('keytool lists both stores of each host (needs keytool)', async () => {
    const kept = JSON.parse(readFileSync(join(state, 'secrets.json'), 'utf8')) as Record<string, string>
    const stores = [
      { file: 'keystore.p12', secret: kept.keystorePassword, kind: 'PrivateKeyEntry' },
      { file: 'truststore.p12', secret: kept.truststorePassword, kind: 'trustedCertEntry' },
    ]
    for (const name of names) {
      for (const { file, secret, kind } of stores) {
        const path = join(state, 'hosts', name, file)
        const args = ['-J-Duser.language=en', '-list', '-keystore', path, '-storepass:env', 'STORE']
        const listed = await execute('keytool', args, { env: { ...process.env, STORE: secret } })
        expect(listed.stdout, `${name} ${file}`).toContain(kind)
        expect(listed.stdout).toMatch(/contains 1 entry/)
      }
    }
  })

  it('tapi logs in by host, and verifies the certificate by what install recorded', async () => {
    for (const { address } of hosts) {
      for (const component of ['manager', 'connector', 'replicator']) {
        const where = ['--host', address, '--component', component]
        expect((await operator.tapi([...where, 'ping'], { withoutPassword: true })).code).toBe(0)
        const args = [...where, '--user', 'admin', '--password-stdin', 'user', 'admin']
        const read = await operator.tapi(args, { input: `${password}\n`, withoutPassword: true })
        expect(read, read.stderr).toMatchObject({ code: 0 })
        expect(read.stdout).toContain('admin')
      }
    }
  })

  it('installing again says that there is nothing to do, and touches nothing', async () => {
    const before = await statesOf()
    const again = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect(again.stdout).toContain('nothing to do')
    expect(await operator.muster(['plan', 'alpha.yaml'])).toMatchObject({ code: 0 })
    const report = await operator.muster(['install', '--yes', '--json', 'alpha.yaml'])
    expect(hostResults(report)).toEqual({ db1: 'unchanged', db2: 'unchanged', db3: 'unchanged' })
    expect(await statesOf()).toEqual(before)
  })

  it('status shows every host up', async () => {
    const status = await operator.muster(['status', '--json', 'alpha.yaml'])
    expect(status.code).toBe(0)
    expect(hostStates(status)).toEqual({ db1: 'up', db2: 'up', db3: 'up' })
  })

  it('leaves a host file by file as it was if its before-host hook fails, and changes the others', async () => {
    const script = (name: string, text: string): void =>
      chmodSync(operator.write(name, `#!/bin/sh\n${text}\n`), 0o700)
    script('before.sh', '[ "$MUSTER_HOST" != db2 ] || { echo no backup >&2; exit 1; }')
    script('record.sh', 'cat >> events.jsonl')
    operator.write(
      'hooks.yaml',
      'defaults: { log-level: debug }\nhooks:\n  before-host: !exec [./before.sh]\n' +
        ['after-host', 'on-failure', 'after-run'].map((name) => `  ${name}: !exec [./record.sh]\n`).join(''),
    )
    const before = await statesOf()
    const outcome = await operator.muster(['install', '--yes', 'alpha.yaml', 'hooks.yaml'])
    expect(outcome.code, outcome.stderr).toBe(1)
    expect(outcome.stderr).toContain('and said: no backup')
    const after = await statesOf()
    expect(after.map((one, index) => one === before[index])).toEqual([false, true, false])
    const events = readFileSync(join(operator.directory, 'events.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ event, host }) => `${event} ${host}`).sort()).toEqual([
      'after-host db1',
      'after-host db3',
      'after-run null',
      'on-failure db2',
    ])
    const results = { db1: 'changed', db2: 'failed', db3: 'changed' }
    expect(events.at(-1)).toMatchObject({ event: 'after-run', results, exit: 1 })
    const back = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(back, back.stderr).toMatchObject({ code: 0 })
  })

  it('mends exactly the host whose password was changed by hand', async () => {
    const db2 = hostOf(lab, 'db2')
    const api = { address: db2.address, port: 8096, user: 'admin' }
    const changed = await callFrom(hostOf(lab, 'db1'), {
      ...api,
      path: '/api/v2/createAdminUser?i-am-sure=true',
      password,
      body: { payloadType: 'credentials', user: 'admin', pass: 'changed by hand' },
    })
    expect(statusOf(changed), changed.stdout + changed.stderr).toBe(200)
    const user = { ...api, path: '/api/v2/user/admin' }
    expect(statusOf(await callFrom(db2, { ...user, password }))).toBe(401)
    const before = await statesOf()
    const pids = await pidsOf(db2, 'alpha')

    expect((await operator.muster(['plan', 'alpha.yaml'])).code).toBe(2)
    expect(changingHosts(await operator.muster(['plan', '--json', 'alpha.yaml']))).toEqual(['db2'])
    const mended = await operator.muster(['install', '--yes', '--json', 'alpha.yaml'])
    expect(mended, mended.stderr).toMatchObject({ code: 0 })
    expect(hostResults(mended)).toEqual({ db1: 'unchanged', db2: 'changed', db3: 'unchanged' })

    const after = await statesOf()
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    // A password needs no restart, and no other file of the host but the record of changes.
    expect(await pidsOf(db2, 'alpha')).toEqual(pids)
    const lines = (text: string | undefined) => (text ?? '').split('\n')
    const touched = lines(after[1]).filter((line) => !lines(before[1]).includes(line))
    expect(touched.map((line) => line.split(' ')[0])).toEqual([
      '/opt/muster/deployment.jsonl',
      '/var/lib/muster-alpha/users.json',
    ])
    for (const port of ports) {
      expect(statusOf(await callFrom(db2, { ...user, port, password }))).toBe(200)
      expect(statusOf(await callFrom(db2, { ...user, port, password: 'changed by hand' }))).toBe(401)
    }
  })

  it('a runner without the state directory is stopped before anything changes, and goes on with the state', async () => {
    const runner = createOperator(lab, 'runner', password, fullCost)
    runner.write('alpha.yaml', readFileSync(join(operator.directory, 'alpha.yaml'), 'utf8'))
    const before = await statesOf()
    const stopped = await runner.muster(['install', '--yes', 'alpha.yaml'])
    expect(stopped.code).toBe(1)
    expect(stopped.stdout + stopped.stderr).toContain('muster state import')
    expect(existsSync(join(runner.directory, '.muster', 'alpha', 'authority.key'))).toBe(false)
    expect(await statesOf()).toEqual(before)

    mkdirSync(join(lab.directory, 'carried'), { mode: 0o700 })
    const archive = join(lab.directory, 'carried', 'alpha.state')
    for (const person of [operator, runner]) person.write('phrase', 'a passphrase that is long enough\n')
    const sealed = ['--passphrase-file', 'phrase', 'alpha.yaml']
    const exported = await operator.muster(['state', 'export', '--out', archive, ...sealed])
    expect(exported, exported.stderr).toMatchObject({ code: 0 })
    expect(readFileSync(archive).includes('PRIVATE KEY')).toBe(false)
    const imported = await runner.muster(['state', 'import', '--from', archive, ...sealed])
    expect(imported, imported.stderr).toMatchObject({ code: 0 })
    const again = await runner.muster(['install', '--yes', 'alpha.yaml'])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect(again.stdout).toContain('nothing to do')
    expect(await statesOf()).toEqual(before)
  })

  it('the password is nowhere on either side but in the sealed state directory', async () => {
    expect(betrayedBy(sentinel, [lab.directory], ['.muster'])).toEqual([])
    expect(betrays(sentinel, operator.printed())).toBe(false)
    for (const host of hosts) {
      const folders = ['opt/muster', 'etc', 'var', 'root', 'home', 'tmp', 'run']
      const root = host.root()
      expect(
        betrayedBy(
          sentinel,
          folders.map((folder) => join(root, folder)),
        ),
      ).toEqual([])
      const journal = await host.run('journalctl --all --no-pager --output=export')
      expect(journal.code).toBe(0)
      expect(journal.stdout).toContain('muster-alpha-manager.service')
      expect(betrays(sentinel, journal.stdout)).toBe(false)
    }
  })
})
