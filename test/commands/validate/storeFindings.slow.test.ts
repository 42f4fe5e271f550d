import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codesOf } from '../../../src/diagnostics/codes.ts'
import { hasKeytool, hasOpenssl } from '../../certificates/tools.ts'
import { asNobody } from '../../support/asNobody.ts'
import { storeMaker, storePassword } from './realStores.ts'
import { places, validated } from './validated.ts'

const golden = fileURLToPath(new URL('../../fixtures/validate/stores.out', import.meta.url))
const env = { PATH: process.env.PATH, STORE_PASS: storePassword, OTHER_PASS: 'another one' }

/** Options of one host over those of `defaults`. */
type Given = Readonly<Record<string, string>>

const keystore = (file: string): Given => ({ 'java-tls-keystore-path': file })
const truststore = (file: string): Given => ({ ...keystore('good.p12'), 'java-truststore-path': file })

/** Each host of the golden file has one defect, as its name says. */
const hosts: Readonly<Record<string, Given>> = {
  'good.example.org': keystore('good.p12'),
  'wrong-word.example.org': {
    ...keystore('wrong-word.p12'),
    'java-keystore-password': '!env OTHER_PASS',
  },
  'key-word.example.org': keystore('key-word.p12'),
  'not-a-store.example.org': keystore('ca.crt'),
  'unsupported.example.org': keystore('unsupported.p12'),
  'unreadable.example.org': keystore('folder'),
  'world-readable.example.org': keystore('world-readable.p12'),
  'no-private-key.example.org': keystore('trust.p12'),
  'alias-absent.example.org': { ...keystore('alias-absent.p12'), 'java-tls-alias': 'mysql' },
  'default-alias-absent.example.org': keystore('default-alias-absent.p12'),
  'no-certificate.example.org': keystore('no-certificate.p12'),
  'key-mismatch.example.org': keystore('key-mismatch.p12'),
  'not-yet-valid.example.org': keystore('not-yet-valid.p12'),
  'expired.example.org': keystore('expired.p12'),
  'expires-soon.example.org': keystore('expires-soon.p12'),
  'names-do-not-cover.example.org': keystore('names-do-not-cover.p12'),
  'names-partly-cover.example.org': keystore('names-partly-cover.p12'),
  'trust-wrong-word.example.org': {
    ...truststore('trust.p12'),
    'java-truststore-password': '!env OTHER_PASS',
  },
  'trust-key-word.example.org': truststore('key-word.p12'),
  'trust-not-a-store.example.org': truststore('ca.crt'),
  'trust-unsupported.example.org': truststore('unsupported.p12'),
  'trust-unreadable.example.org': truststore('folder'),
  'trust-empty.example.org': truststore('good.p12'),
  'does-not-trust.example.org': truststore('stranger.p12'),
}

const defaults = `  java-tls-keystore-path: good.p12
  java-keystore-password: !env STORE_PASS
  java-truststore-path: trust.p12
  java-truststore-password: !env STORE_PASS
`

const yaml = (
  lines: string,
  given: Readonly<Record<string, Given & { readonly address?: string }>>,
): string => {
  const names = Object.keys(given)
  const host = ([name, { address, ...options }]: [string, Given]): string =>
    [
      `  ${name}:`,
      ...(address === undefined ? [] : [`    address: ${address}`]),
      '    options:',
      ...Object.entries(options).map(([option, value]) => `      ${option}: ${value}`),
    ].join('\n')
  return `cluster: alpha
defaults:
${lines}services:
  alpha: { topology: replicator, master: ${names[0]}, members: [${names.join(', ')}] }
hosts:
${Object.entries(given).map(host).join('\n')}
`
}

describe.skipIf(!hasKeytool || !hasOpenssl)('stores of the user (needs keytool and openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-stores-'))

  beforeAll(async () => {
    const make = await storeMaker(folder)
    await make.keystore('good')
    await make.keystore('default-alias-absent', { alias: 'web' })
    await make.keystore('not-yet-valid', { from: '20260201' })
    await make.keystore('expired', { to: '20251231' })
    await make.keystore('expires-soon', { to: '20260111' })
    await make.keystore('names-do-not-cover', { names: 'DNS:db9,IP:10.9.9.9' })
    await make.keystore('names-partly-cover', { names: 'DNS:db9,DNS:names-partly-cover.example.org' })
    await make.keyAlone('no-certificate')
    await Promise.all([
      make.truststore('trust', 'ca'),
      make.truststore('stranger', 'stranger'),
      make.mismatch('key-mismatch', 'good'),
      make.old('key-word', { type: 'JKS', keyPassword: 'different' }),
      make.old('unsupported', { type: 'JCEKS', keyPassword: storePassword }),
    ])
    for (const name of ['wrong-word', 'world-readable', 'alias-absent']) make.copy('good', name)
    mkdirSync(join(folder, 'folder'))
    chmodSync(folder, 0o755)
    for (const name of readdirSync(folder))
      if (/\.(p12|crt)$/.test(name)) chmodSync(join(folder, name), 0o640)
    chmodSync(join(folder, 'world-readable.p12'), 0o644)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const run = (text: string, options: Parameters<typeof validated>[1] = {}) => {
    writeFileSync(join(folder, 'muster.yaml'), text)
    return validated(folder, { env, ...options })
  }

  it('have a finding for every defect, at the value to change', async () => {
    const partly = {
      'names-partly-cover.example.org': { ...keystore('names-partly-cover.p12'), address: '10.0.0.11' },
    }
    const { code, out, findings } = await run(yaml(defaults, { ...hosts, ...partly }))
    expect(code).toBe(1)
    await expect(out).toMatchFileSnapshot(golden)
    const found = new Set(findings.map((finding) => finding.code))
    expect(codesOf('What is in a keystore or truststore').filter((one) => !found.has(one))).toEqual([])
    expect(out).not.toContain(folder)
    expect(out).not.toMatch(/changeit|another one/)
  })

  it('that several hosts share are reported once, with every host', async () => {
    const wrong = defaults.replace('keystore-password: !env STORE_PASS', 'keystore-password: !env OTHER_PASS')
    const three = { db1: {}, db2: {}, db3: {} }
    const locked = await run(yaml(wrong, three))
    expect(places(locked.findings)).toEqual(['3:27 shared-keystore', '4:32 keystore-wrong-password'])
    expect(locked.findings[1]?.message).toContain('the keystore of db1, db2 and db3: ')
    expect(locked.findings[1]?.related).toMatchObject([{ line: 3, column: 27 }])
  })

  it('are reported once even if different names are missing', async () => {
    const shared = await run(
      yaml(defaults, {
        db1: { address: '10.0.0.11' },
        db2: { address: '10.0.0.12' },
        'db3.example.org': { address: '10.0.0.13' },
      }),
    )
    const names = shared.findings.filter(({ code }) => code.startsWith('keystore-names'))
    expect(names.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual([
      '3:27 keystore-names-do-not-cover The certificate of db1 and db2 is valid for *.example.org, not for db1, 10.0.0.11, db2 and 10.0.0.12.',
      '3:27 keystore-names-partly-cover The certificate of db3.example.org is not valid for 10.0.0.13, only for *.example.org.',
    ])
  })

  it('are not opened without their password, and a note says so', async () => {
    const asked = defaults.replace('!env STORE_PASS', '!exec [touch, pwned]')
    const { code, findings } = await run(yaml(asked, { 'expired.example.org': keystore('expired.p12') }))
    expect(code).toBe(0)
    expect(places(findings)).toEqual(['4:33 secret-not-resolved'])
    expect(findings[0]).toMatchObject({
      severity: 'note',
      message: 'java-keystore-password was not read: it comes from a program, and programs are not run here.',
      why: 'Without it muster cannot open the keystore and check its contents.',
      fix: 'Use --resolve-secrets if you trust the file.',
    })
    expect(readdirSync(folder)).not.toContain('pwned')
  })

  it('are opened with the output of a program if the file is trusted', async () => {
    const asked = defaults.replace('!env STORE_PASS', `!exec [printf, ${storePassword}]`)
    const text = yaml(asked, { 'expired.example.org': keystore('expired.p12') })
    const { code, findings } = await run(text, { argv: ['--resolve-secrets'] })
    expect(code).toBe(1)
    expect(places(findings)).toEqual(['12:31 keystore-expired'])
  })

  it('are checked as far as possible if only one can be opened', async () => {
    const lines = defaults.replace(
      'java-keystore-password: !env STORE_PASS',
      'java-keystore-password: !env UNSET',
    )
    const { findings } = await run(yaml(lines, { 'db1.example.org': truststore('good.p12') }))
    expect(places(findings)).toEqual(['4:32 secret-not-resolved', '13:29 truststore-empty'])
  })

  it('are not opened if they are on the host, or if a host runs no component', async () => {
    const lines = defaults.replace('good.p12', 'host:/etc/pki/good.p12')
    expect((await run(yaml(lines, { db1: {} }))).findings).toEqual([])
    const idle = yaml(defaults, { 'db1.example.org': {}, idle: keystore('ca.crt') }).replace(', idle]', ']')
    expect((await run(idle)).findings.map(({ code }) => code)).toEqual(['unused-host'])
  })

  it('that cannot be read have another finding than files that are not stores', async () => {
    const text = yaml(defaults, { 'db1.example.org': {} })
    chmodSync(join(folder, 'good.p12'), 0)
    chmodSync(join(folder, 'trust.p12'), 0o644)
    await run(text)
    const { findings } = await asNobody(() => validated(folder, { env }))
    chmodSync(join(folder, 'good.p12'), 0o640)
    chmodSync(join(folder, 'trust.p12'), 0o640)
    expect(findings.map(({ message }) => message)).toEqual([
      'The keystore of db1.example.org cannot be read: permission denied.',
    ])
  })

  it('are not waited for if the path is a device', async () => {
    const text = yaml(defaults, { 'db1.example.org': keystore('/dev/zero') })
    expect((await run(text, { argv: ['--resolve-secrets'] })).findings[0]?.message).toBe(
      'The keystore of db1.example.org is not a regular file.',
    )
  })
})
