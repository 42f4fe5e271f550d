import { X509Certificate } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { pidsOf } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { execute, type Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { installed, labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const ports = [8090, 8096, 8097]

/** Three hosts, of which one is down in the middle of a rotation; each test goes on where the last ended. */
describe.skipIf(labHere.missing)(`the certificates of Debian hosts${labHere.needs}`, () => {
  const { password } = makeSentinel()
  let lab: Lab
  let operator: Operator
  let pids: readonly Readonly<Record<string, number>>[]
  const host = (name: string): LabHost => hostOf(lab, name)
  const kept = (name: string): string => join(operator.directory, '.muster/alpha', name)
  /** Copies of authority.crt as clients were given them. */
  const copy = (name: string): string => join(operator.directory, name)
  const pidsNow = (of: readonly string[]) => Promise.all(of.map((name) => pidsOf(host(name), 'alpha')))
  const cert = (...argv: readonly string[]): Promise<Outcome> =>
    operator.muster(['cert', argv[0] ?? '', '--yes', ...argv.slice(1), 'alpha.yaml'])

  /** Whether curl, which trusts that file alone, gets an answer of every API of a host: all of them, or none. */
  async function reaches(name: string, file: string): Promise<boolean> {
    const codes = await Promise.all(
      ports.map(async (port) => {
        const url = `https://${host(name).address}:${port}/api/v2/ping`
        const args = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', file, url]
        const { code, stdout } = await execute('curl', args)
        // 60: the peer's certificate cannot be authenticated with known CA certificates (curl(1)).
        return code === 0 ? stdout : `curl ${code}`
      }),
    )
    expect(['200', 'curl 60'], `${name}: ${codes.join()}`).toContain(codes[0])
    expect(new Set(codes).size, `${name}: ${codes.join()}`).toBe(1)
    return codes[0] === '200'
  }
  const allReach = async (of: readonly string[], file: string): Promise<readonly boolean[]> =>
    Promise.all(of.map((name) => reaches(name, file)))

  /** SHA-256 of the authorities in the truststore that lies on a host, as Java lists them. */
  async function javaTrusts(name: string): Promise<readonly string[]> {
    const { truststorePassword } = JSON.parse(readFileSync(kept('secrets.json'), 'utf8'))
    const path = join(host(name).root(), 'opt/muster/share/tls/truststore.p12')
    const args = ['-J-Duser.language=en', '-list', '-keystore', path, '-storepass:env', 'STORE']
    const { stdout } = await execute('keytool', args, { env: { ...process.env, STORE: truststorePassword } })
    return [...stdout.matchAll(/\(SHA-256\): ([0-9A-F:]+)/g)].map(([, print = '']) => print).sort()
  }
  const prints = (file: string): readonly string[] =>
    readFileSync(file, 'utf8')
      .split(/(?<=END CERTIFICATE-----\n)/)
      .filter((pem) => pem !== '')
      .map((pem) => new X509Certificate(pem).fingerprint256)
      .sort()

  beforeAll(async () => {
    lab = await startLab({ hosts: names, node: true })
    operator = createOperator(lab, 'operator', password)
    const hosts = names.map((name) => ({ name }))
    operator.write('alpha.yaml', clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts }))
    const outcome = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    pids = await pidsNow(names)
    copyFileSync(kept('authority.crt'), copy('old.crt'))
  })
  afterAll(() => lab?.stop())

  it('are renewed without a restart, and OpenSSL sees the SHA-256 fingerprints that are told', async () => {
    const outcome = await cert('renew')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(await pidsNow(names)).toEqual(pids)
    for (const name of names) {
      const [, print] =
        new RegExp(`^${name} .*certificate SHA-256 ([0-9A-F:]{23})… is shown`, 'm').exec(outcome.stdout) ?? []
      for (const port of ports) {
        const seen = await execute('sh', [
          '-c',
          'openssl s_client -connect "$1" -CAfile "$2" -verify_return_error </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256',
          'sh',
          `${host(name).address}:${port}`,
          copy('old.crt'),
        ])
        expect(seen.stdout.toLowerCase(), seen.stderr).toContain(`fingerprint=${print?.toLowerCase()}:`)
      }
    }
  })

  it.skipIf(!installed('keytool'))(
    'stay where a host is down before all trust the new authority (needs keytool)',
    async () => {
      await host('db3').kill()
      const outcome = await cert('rotate-authority')
      expect(outcome.code, outcome.stdout).toBe(4)
      expect(outcome.stderr).toMatch(/^error db3: /m)
      expect(outcome.stdout).toContain(
        '\nThe rotation stopped in phase 1 of 3. db3 has not reached it yet. The old authority is still trusted everywhere. Run the same command again to continue.\n',
      )
      expect(prints(kept('authority.crt'))).toHaveLength(2)
      expect(await javaTrusts('db1')).toEqual(prints(kept('authority.crt')))
      expect(await allReach(['db1', 'db2'], copy('old.crt'))).toEqual([true, true])
      await host('db3').boot()
      const paused = await cert('rotate-authority', '--trust-only')
      expect(paused, paused.stderr).toMatchObject({ code: 0 })
      expect(await javaTrusts('db3')).toEqual(prints(kept('authority.crt')))
      copyFileSync(kept('authority.crt'), copy('both.crt'))
      for (const file of ['old.crt', 'both.crt'])
        expect(await allReach(names, copy(file))).toEqual([true, true, true])
    },
  )

  it.skipIf(!installed('keytool'))(
    'move on the other hosts where one is down then, and nothing is dropped (needs keytool)',
    async () => {
      await host('db3').kill()
      const outcome = await cert('rotate-authority')
      expect(outcome.code, outcome.stdout).toBe(4)
      expect(outcome.stdout).toContain('\nThe rotation stopped in phase 2 of 3. db3 has not reached it yet. ')
      await host('db3').boot()
      expect(await allReach(names, copy('both.crt'))).toEqual([true, true, true])
      expect(await allReach(names, kept('authority.crt'))).toEqual([true, true, true])
      expect(await allReach(names, copy('old.crt'))).toEqual([false, false, true])
      for (const name of names) expect(await javaTrusts(name), name).toEqual(prints(copy('both.crt')))
    },
  )

  it.skipIf(!installed('keytool'))(
    'are all of the new authority in the end, and the old one is trusted nowhere (needs keytool)',
    async () => {
      const outcome = await cert('rotate-authority')
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
      expect(prints(kept('authority.crt'))).toHaveLength(1)
      expect(await allReach(names, kept('authority.crt'))).toEqual([true, true, true])
      expect(await allReach(names, copy('both.crt'))).toEqual([true, true, true])
      expect(await allReach(names, copy('old.crt'))).toEqual([false, false, false])
      for (const name of names) expect(await javaTrusts(name), name).toEqual(prints(kept('authority.crt')))
      expect(await pidsNow(['db1', 'db2'])).toEqual(pids.slice(0, 2))
      for (const name of names) {
        const ping = await operator.tapi(['--host', host(name).address, '--component', 'manager', 'ping'])
        expect(ping, ping.stderr).toMatchObject({ code: 0 })
      }
      const again = await operator.muster(['install', '--yes', 'alpha.yaml'])
      expect(again.stdout, again.stderr).toContain('nothing to do on 3 hosts')
    },
  )

  it('are replaced by another operator once the state directory is lost, though a host is down at first', async () => {
    copyFileSync(kept('authority.crt'), copy('lost.crt'))
    rmSync(kept(''), { recursive: true })
    const before = await pidsNow(['db1', 'db2'])
    const refused = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(refused.stderr).toContain('[authority-elsewhere]')
    await host('db3').kill()
    const stopped = await cert('rotate-authority', '--lost')
    expect(stopped.code, stopped.stdout).toBe(4)
    expect(stopped.stdout).toContain('\nThe replacement stopped in phase 1 of 3. ')
    await host('db3').boot()
    expect(await allReach(names, copy('lost.crt'))).toEqual([true, true, true])
    const outcome = await cert('rotate-authority', '--lost')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(await allReach(names, kept('authority.crt'))).toEqual([true, true, true])
    expect(await allReach(names, copy('lost.crt'))).toEqual([false, false, false])
    expect(await pidsNow(['db1', 'db2'])).toEqual(before)
    const again = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(again.stdout, again.stderr).toContain('nothing to do on 3 hosts')
    const ping = await operator.tapi(['--host', host('db3').address, '--component', 'manager', 'ping'])
    expect(ping, ping.stderr).toMatchObject({ code: 0 })
  })
})
