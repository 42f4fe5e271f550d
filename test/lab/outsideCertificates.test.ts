import { X509Certificate } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { betrayedBy, filesBelow } from './scenario/filesBelow.ts'
import { installationState, pidsOf, remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeOutsideAuthority, type OutsideAuthority } from './scenario/outsideAuthority.ts'
import { betrays, makeSentinel } from './scenario/sentinel.ts'
import { execute, type Outcome, succeed } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { installed, labHere } from './support/requirements.ts'

const ports = [8090, 8096, 8097]

type Listed = {
  readonly host: string
  readonly origin: string
  readonly onDisk: { readonly issuer: string; readonly serial: string; readonly daysLeft: number } | null
  readonly components: readonly { readonly asOnDisk?: boolean }[]
}

/**
 * Hosts of which one has the certificate of an outside authority, and then an authority whose key has a passphrase;
 * a third host joins them under it. Each test goes on where the last ended.
 */
describe.skipIf(labHere.missing)(`certificates that muster does not sign alone${labHere.needs}`, () => {
  const passphrase = makeSentinel()
  let lab: Lab
  let operator: Operator
  let corp: OutsideAuthority
  const host = (name: string): LabHost => hostOf(lab, name)
  const file = (name: string): string => join(operator.directory, name)
  const kept = (name: string): string => file(`.muster/alpha/${name}`)
  const muster = (...argv: readonly string[]): Promise<Outcome> => operator.muster([...argv, 'alpha.yaml'])
  const succeeds = async (...argv: readonly string[]): Promise<string> => {
    const outcome = await muster(...argv)
    expect(outcome, `${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0, stderr: '' })
    return outcome.stdout
  }
  const listed = async (): Promise<readonly Listed[]> => {
    const { hosts }: { hosts: readonly Listed[] } = JSON.parse(await succeeds('cert', 'list', '--json'))
    return hosts
  }
  const pids = () => Promise.all(['db1', 'db2'].map((name) => pidsOf(host(name), 'alpha')))
  const describeHosts = (...names: readonly string[]): void => {
    const hosts = names.map((name) => ({ name }))
    const text = clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts })
    const ignored = names.length % 2 === 0 ? ' # muster-ignore: even-managers a third one joins them' : ''
    operator.write(
      'alpha.yaml',
      text.replace(/^ *members: .*$/m, (line) => `${line}${ignored}`),
    )
  }

  /** Whether curl, which trusts that file alone, is answered by every API of a host: by all of them, or by none. */
  async function reaches(name: string, authorities: string): Promise<boolean> {
    const codes = await Promise.all(
      ports.map(async (port) => {
        const url = `https://${host(name).address}:${port}/api/v2/ping`
        const argv = ['-q', '-sS', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', authorities, url]
        const { code, stdout } = await execute('curl', argv)
        // 60: the peer's certificate cannot be authenticated with known CA certificates (curl(1)).
        return code === 0 ? stdout : `curl ${code}`
      }),
    )
    expect(['200', 'curl 60'], `${name}: ${codes.join()}`).toContain(codes[0])
    expect(new Set(codes).size, `${name}: ${codes.join()}`).toBe(1)
    return codes[0] === '200'
  }

  const printsOf = (...files: readonly string[]): readonly string[] =>
    files
      .flatMap((path) => readFileSync(path, 'utf8').split(/(?<=END CERTIFICATE-----\n)/))
      .filter((pem) => pem !== '')
      .map((pem) => new X509Certificate(pem).fingerprint256)
      .sort()

  /** What keytool lists of a store: SHA-256 of its certificates, and how long its chains are. */
  async function keytool(store: string, password: string) {
    const argv = ['-J-Duser.language=en', '-list', '-v', '-keystore', store, '-storepass:env', 'STORE']
    const stdout = await succeed('keytool', argv, { env: { ...process.env, STORE: password } })
    const prints = [...stdout.matchAll(/^\s*SHA256: ([0-9A-F:]+)/gm)].map(([, print = '']) => print)
    const chains = [...stdout.matchAll(/chain length: (\d+)/g)].map(([, length]) => Number(length))
    return { prints: [...prints].sort(), chains }
  }

  /** The authorities that lie on a host for components of Java. */
  const truststoreOf = (name: string) => {
    const { truststorePassword } = JSON.parse(readFileSync(kept('secrets.json'), 'utf8'))
    return keytool(join(host(name).root(), 'opt/muster/share/tls/truststore.p12'), truststorePassword)
  }
  /** Serial numbers of the certificates on the hosts. */
  const serials = async (): Promise<Readonly<Record<string, string | undefined>>> =>
    Object.fromEntries((await listed()).map((one) => [one.host, one.onDisk?.serial]))
  /** The findings of `cert check`, which exits with 1 where there are any. */
  const checked = async (): Promise<readonly string[]> => {
    const { code, stdout } = await muster('cert', 'check', '--json')
    const { findings }: { findings: readonly { readonly code: string; readonly message: string }[] } =
      JSON.parse(stdout)
    expect(code).toBe(findings.length === 0 ? 0 : 1)
    return findings.map((one) => `${one.message.match(/db\d/)?.[0]} ${one.code}`)
  }
  /** What the state directory keeps, by file, but for the list of runs: refused ones are in it, too. */
  const stateFiles = () =>
    Object.fromEntries(
      filesBelow(kept(''))
        .filter((path) => !path.endsWith('/runs.jsonl'))
        .map((path) => [path, readFileSync(path, 'utf8')]),
    )
  const beside = (name: string, text: string): string => {
    const path = join(lab.directory, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const right = (): string => beside('passphrase', `${passphrase.password}\n`)
  const wrongFile = (): string => beside('wrong', 'not the passphrase\n')

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1', 'db2', 'db3'], node: true })
    operator = createOperator(lab, 'operator', makeSentinel().password)
    corp = await makeOutsideAuthority(file('corp'))
    describeHosts('db1', 'db2')
    await succeeds('install', '--yes')
  })
  afterAll(() => lab?.stop())

  it('are asked for, judged, kept and installed without a restart', async () => {
    const before = await pids()
    expect(await succeeds('cert', 'csr', '--out', 'requests')).toContain('wrote requests/db1.csr\n')
    const leaf = await corp.sign(file('requests/db1.csr'), 60)
    const incomplete = await muster('cert', 'import', '--host', 'db1', '--from', leaf)
    expect(incomplete).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: The chain is incomplete: it ends with CN=db1, and its issuer O=Corp, CN=Corp Issuing .*\n {2}fix: /,
      ),
    })
    const other = await muster('cert', 'import', '--host', 'db2', '--from', corp.chain(leaf))
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('[outside-other-key]') })
    expect(await succeeds('install', '--yes')).toContain('nothing to do on 2 hosts')

    const taken = await succeeds('cert', 'import', '--host', 'db1', '--from', corp.chain(leaf))
    expect(taken).toMatch(/^imported the certificate of db1, signed by O=Corp, CN=Corp Issuing, until /)
    expect(await checked()).toEqual(['db1 certificate-pending'])
    await succeeds('install', '--yes')
    expect(await pids()).toEqual(before)
    expect(await succeeds('install', '--yes')).toContain('nothing to do on 2 hosts')
    expect(await checked()).toEqual([])
    const [db1, db2] = await listed()
    expect(db1).toMatchObject({
      host: 'db1',
      origin: 'outside',
      onDisk: { issuer: 'O=Corp, CN=Corp Issuing' },
    })
    expect(db2).toMatchObject({ host: 'db2', origin: 'muster' })
    for (const one of [db1, db2]) {
      expect(one?.components.map(({ asOnDisk }) => asOnDisk)).toEqual([true, true, true])
    }
  })

  it.skipIf(!installed('keytool'))(
    'are trusted by clients of that authority, and all hosts by those of what is exported (needs keytool)',
    async () => {
      for (const port of ports) {
        const address = host('db1').address
        const argv = ['-connect', `${address}:${port}`, '-CAfile', corp.root, '-verify_ip', address]
        const seen = await execute('openssl', ['s_client', ...argv, '-verify_return_error', '-brief'])
        expect(seen).toMatchObject({ code: 0, stderr: expect.stringContaining('Verification: OK') })
      }
      expect([await reaches('db1', corp.root), await reaches('db2', corp.root)]).toEqual([true, false])
      await succeeds('cert', 'export', '--out', 'all.crt')
      expect([await reaches('db1', file('all.crt')), await reaches('db2', file('all.crt'))]).toEqual([
        true,
        true,
      ])

      const both = printsOf(file('all.crt'))
      expect(both).toEqual(expect.arrayContaining([...printsOf(corp.root)]))
      expect(both).toHaveLength(2)
      await succeeds('cert', 'export', '--format', 'p12', '--out', 'trust.p12')
      expect((await keytool(file('trust.p12'), 'changeit')).prints).toEqual(both)
      for (const name of ['db1', 'db2']) {
        expect((await truststoreOf(name)).prints, name).toEqual(both)
      }
      operator.write('store.password', 'the password of a store\n')
      const withKey = [
        '--with-key',
        '--format',
        'p12',
        '--out',
        'db1.p12',
        '--password-file',
        'store.password',
      ]
      await succeeds('cert', 'export', '--host', 'db1', ...withKey)
      expect((await keytool(file('db1.p12'), 'the password of a store')).chains).toEqual([3])
      await succeeds('cert', 'export', '--host', 'db1', '--out', 'db1.pem')
      const verified = ['verify', '-CAfile', corp.root, '-untrusted', file('db1.pem'), file('db1.pem')]
      expect(await succeed('openssl', verified)).toBe(`${file('db1.pem')}: OK\n`)
      for (const name of ['db1', 'db2']) {
        const ping = await operator.tapi(['--host', host(name).address, '--component', 'manager', 'ping'])
        expect(ping, ping.stderr).toMatchObject({ code: 0 })
      }
    },
  )

  it('are left alone by renewals, and told of before they end', async () => {
    const [before, running] = [await serials(), await pids()]
    expect(await succeeds('cert', 'renew', '--yes')).toContain(
      'db1 has a certificate of an external authority, which muster cannot renew: request a new one with muster cert csr',
    )
    const after = await serials()
    expect(after.db1).toBe(before.db1)
    expect(after.db2).not.toBe(before.db2)

    const ending = corp.chain(await corp.sign(file('requests/db1.csr'), 10))
    await succeeds('cert', 'import', '--host', 'db1', '--from', ending)
    await succeeds('install', '--yes')
    const { db1 } = await serials()
    expect(db1).not.toBe(before.db1)
    expect(await checked()).toEqual(['db1 certificate-expires-soon'])
    expect(await succeeds('install', '--yes')).toContain('nothing to do on 2 hosts')
    expect((await serials()).db1).toBe(db1)
    expect(await pids()).toEqual(running)
  })

  it('are signed only with the passphrase of a protected key, and nothing is half-done without it', async () => {
    const key = readFileSync(kept('authority.key'), 'utf8')
    await succeeds('cert', 'protect-authority', '--passphrase-file', right())
    expect(readFileSync(kept('authority.key'), 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    // What signs nothing asks nobody.
    expect(await succeeds('install', '--yes')).toContain('nothing to do on 2 hosts')
    expect(await succeeds('cert', 'renew', '--host', 'db1', '--yes')).toContain('nothing to do')

    const [before, files] = [await installationState(host('db2')), stateFiles()]
    const renew = ['cert', 'renew', '--host', 'db2', '--yes']
    expect(await muster(...renew)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: There is no terminal to ask for the passphrase of the authority's key.
  fix: Pass it with --authority-passphrase-file FILE, with --authority-passphrase-stdin, or in the environment variable MUSTER_AUTHORITY_PASSPHRASE.
`,
    })
    const wrong = await muster(...renew, '--authority-passphrase-file', wrongFile())
    expect(wrong.code, wrong.stdout).toBe(1)
    expect(wrong.stderr).toMatch(
      /^error db2: wrong passphrase for the authority's key \[authority-passphrase\]\n {2}fix: .*\nNothing was changed\.\n$/,
    )
    expect(stateFiles()).toEqual(files)
    expect(await installationState(host('db2'))).toBe(before)

    const { db2 } = await serials()
    await succeeds(...renew, '--authority-passphrase-file', right())
    expect((await serials()).db2).not.toBe(db2)
    const opened = await succeed('openssl', [
      'pkey',
      '-in',
      kept('authority.key'),
      '-passin',
      `file:${right()}`,
    ])
    expect(opened).toBe(key)
  })

  it('are made with it for a host that joins, and it lies nowhere afterwards', async () => {
    describeHosts('db1', 'db2', 'db3')
    const files = stateFiles()
    const before = await Promise.all(['db1', 'db2'].map((name) => installationState(host(name))))
    const missing = await muster('install', '--yes')
    expect(missing).toMatchObject({ code: 3, stdout: '' })
    expect(missing.stderr).toMatch(/^error: There is no terminal to ask for the passphrase/)
    const install = ['install', '--yes', '--authority-passphrase-stdin', 'alpha.yaml']
    const wrong = await operator.muster(install, { input: 'not the passphrase\n' })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('[authority-passphrase]') })
    expect(wrong.stderr).toMatch(/^error db3: wrong passphrase for /)
    expect(await remains(host('db3'))).toBe('')
    expect(stateFiles()).toEqual(files)
    expect(await Promise.all(['db1', 'db2'].map((name) => installationState(host(name))))).toEqual(before)

    const joined = await operator.muster(install, { input: `${passphrase.password}\n` })
    expect(joined, joined.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(await reaches('db3', kept('authority.crt'))).toBe(true)
    expect(betrays(passphrase, operator.printed())).toBe(false)
    const folders = ['opt', 'etc', 'tmp', 'run', 'var/log'].map((name) => join(host('db3').root(), name))
    expect(betrayedBy(passphrase, [operator.directory, ...folders])).toEqual([])
  })

  it.skipIf(!installed('keytool'))(
    'follow a new authority under the same passphrase, but those of the outside one (needs keytool)',
    async () => {
      const [before, running, files] = [await serials(), await pids(), stateFiles()]
      const rotate = ['cert', 'rotate-authority', '--yes']
      expect(await muster(...rotate)).toMatchObject({ code: 3, stdout: '' })
      const wrong = await muster(...rotate, '--authority-passphrase-file', wrongFile())
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('[authority-passphrase]') })
      expect(stateFiles()).toEqual(files)

      copyFileSync(kept('authority.crt'), file('old.crt'))
      await succeeds(...rotate, '--authority-passphrase-file', right())
      expect(readFileSync(kept('authority.key'), 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
      const after = await serials()
      expect(after.db1).toBe(before.db1)
      for (const name of ['db2', 'db3']) {
        expect(after[name], name).not.toBe(before[name])
        expect(await reaches(name, kept('authority.crt')), name).toBe(true)
        expect(await reaches(name, file('old.crt')), name).toBe(false)
      }
      expect(await reaches('db1', corp.root)).toBe(true)
      for (const name of ['db1', 'db2', 'db3']) {
        const { prints } = await truststoreOf(name)
        expect(prints, name).toEqual([...printsOf(kept('authority.crt'), corp.root)].sort())
      }
      expect(await pids()).toEqual(running)
    },
  )

  it.skipIf(!installed('keytool'))(
    "are all of the cluster's own authority again where that is wished (needs keytool)",
    async () => {
      const [before, running] = [await serials(), await pids()]
      const back = ['cert', 'renew', '--own-authority', '--yes']
      expect(await muster(...back)).toMatchObject({ code: 3, stdout: '' })
      expect(await serials()).toEqual(before)
      await succeeds(...back, '--authority-passphrase-file', right())
      const after = await serials()
      expect(after.db1).not.toBe(before.db1)
      expect([after.db2, after.db3]).toEqual([before.db2, before.db3])
      expect(await reaches('db1', kept('authority.crt'))).toBe(true)
      expect(await reaches('db1', corp.root)).toBe(false)
      for (const name of ['db1', 'db2', 'db3']) {
        expect((await truststoreOf(name)).prints, name).toEqual(printsOf(kept('authority.crt')))
      }
      expect(await checked()).toEqual([])
      expect(await pids()).toEqual(running)

      await succeeds('cert', 'protect-authority', '--remove', '--passphrase-file', right())
      await succeeds('cert', 'renew', '--host', 'db3', '--yes')
    },
  )
})
