import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { leafFacts } from '../../src/certificates/certificateFacts.ts'
import { createOperator, type Operator, type Outcome } from '../scenarios/support/operator.ts'
import { endProcesses } from '../scenarios/support/pids.ts'
import { startBrowser } from '../support/browser.ts'
import { freePort } from '../support/ports.ts'

let folder: string
let operator: Operator
let [manager, connector, replicator]: readonly (number | undefined)[] = []
const browsers: Browser[] = []

/** Each API at another kind of address; the manager at all of IPv4. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-browsed-'))
  operator = createOperator(folder)
  ;[manager, connector, replicator] = [await freePort(), await freePort(), await freePort()]
  operator.write('alpha.yaml', clusterText())
  expect(await muster('install', '--yes')).toMatchObject({ code: 0, stderr: '' })
})
afterAll(() => {
  endProcesses(join(operator.directory, 'installed'))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
afterEach(async () => {
  await Promise.all(browsers.splice(0).map((browser) => browser.close()))
})

const clusterText = (): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
  install-directory: installed
  service-manager: process
  manager-rest-api-address: 0.0.0.0
  manager-rest-api-port: ${manager}
  connector-rest-api-address: '::1'
  connector-rest-api-port: ${connector}
  replicator-rest-api-port: ${replicator}
services:
  alpha: { topology: clustered, master: db1.example.test, members: [db1.example.test], connectors: [db1.example.test] }
hosts:
  db1.example.test: { address: 127.0.0.1, connection: local }
`

const muster = (...argv: readonly string[]): Promise<Outcome> => operator.muster([...argv, 'alpha.yaml'])

const inFolder = (name: string): string => join(operator.directory, name)

/** What `muster cert export` writes. */
async function exported(name: string, ...argv: readonly string[]): Promise<string> {
  expect(await muster('cert', 'export', '--out', name, ...argv)).toMatchObject({ code: 0, stderr: '' })
  return inFolder(name)
}

/** A browser whose owner imported these files, and which finds the host by its name, and by one that is not its own. */
async function browserWith(...authorities: readonly string[]): Promise<Browser> {
  const hosts = { 'db1.example.test': '127.0.0.1', 'db9.example.test': '127.0.0.1' }
  const browser = await startBrowser({ authorities, hosts })
  browsers.push(browser)
  return browser
}

/** The certificate on the host, PEM. */
const chain = (): string => readFileSync(inFolder('installed/share/tls/chain.pem'), 'utf8')

const ping = (host: string, port = manager): string => `https://${host}:${port}/api/v2/ping`
const untrusted = { error: 'net::ERR_CERT_AUTHORITY_INVALID' }
const otherName = { error: 'net::ERR_CERT_COMMON_NAME_INVALID' }
const answered = { text: expect.stringContaining('"PingPayload"') }

/** What a browser shows of an address and the certificate that it saw there, or why it shows nothing. */
async function shown(browser: Browser, url: string): Promise<object> {
  const page = await browser.newPage()
  try {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    const certificate = new Promise((resolve) => {
      devtools.once('Network.responseReceived', ({ response }) => resolve(response.securityDetails))
    })
    await page.goto(url)
    return { text: await page.locator('body').innerText(), certificate: await certificate }
  } catch (error) {
    const [, code] = /(net::\w+) at /.exec(String(error)) ?? []
    if (code === undefined) throw error
    return { error: code }
  } finally {
    await page.close()
  }
}

it('shows every API at each of its addresses and names, over TLS 1.3', async () => {
  const browser = await browserWith(await exported('alpha.crt'))
  const sanList = leafFacts(chain(), new Date())?.names
  for (const url of [
    ping('127.0.0.1'),
    ping('localhost'),
    ping('db1.example.test'),
    ping('[::1]', connector),
    ping('127.0.0.1', replicator),
  ]) {
    const certificate = { protocol: 'TLS 1.3', issuer: 'muster alpha authority', sanList }
    expect(await shown(browser, url), url).toMatchObject({ ...answered, certificate })
  }
})

it('shows no API of an authority that was not imported, and none at a name or address that is not its own', async () => {
  const stranger = await browserWith()
  for (const url of [ping('127.0.0.1'), ping('db1.example.test'), ping('[::1]', connector)]) {
    expect(await shown(stranger, url), url).toEqual(untrusted)
  }
  const browser = await browserWith(await exported('own.crt'))
  for (const url of [ping('127.0.0.2'), ping('db9.example.test')]) {
    expect(await shown(browser, url), url).toEqual(otherName)
  }
})

it('shows RSA certificates, too', async () => {
  operator.write('alpha.yaml', clusterText().replace('defaults:\n', 'defaults:\n  java-tls-key-type: rsa\n'))
  expect(await muster('install', '--yes')).toMatchObject({ code: 0, stderr: '' })
  expect(new X509Certificate(chain()).publicKey.asymmetricKeyType).toBe('rsa')
  const browser = await browserWith(await exported('rsa.crt'))
  expect(await shown(browser, ping('127.0.0.1'))).toMatchObject(answered)
})

it('shows them while another authority takes the place of theirs, where both were imported', async () => {
  const old = await exported('old.crt')
  expect(await muster('cert', 'rotate-authority', '--yes', '--trust-only')).toMatchObject({ code: 0 })
  await exported('both.crt', '--each')
  const both = ['both-1.crt', 'both-2.crt'].map(inFolder)
  const before = await shown(await browserWith(...both), ping('127.0.0.1'))
  expect(before).toMatchObject({ ...answered, certificate: { issuer: 'muster alpha authority' } })

  expect(await muster('cert', 'rotate-authority', '--yes')).toMatchObject({ code: 0, stderr: '' })
  for (const authorities of [both, [await exported('new.crt')]]) {
    const after = await shown(await browserWith(...authorities), ping('127.0.0.1'))
    const issuer = expect.stringMatching(/^muster alpha authority \d{4}-\d\d-\d\d$/)
    expect(after).toMatchObject({ ...answered, certificate: { issuer } })
  }
  expect(await shown(await browserWith(old), ping('127.0.0.1'))).toEqual(untrusted)
})
