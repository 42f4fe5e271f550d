import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devtools, type SecurityDetails, startDevtools, type Told } from './devtools.ts'

/** What a browser shows of an address. */
export type Shown =
  /** Why it shows none, as its error page says, such as `net::ERR_CERT_AUTHORITY_INVALID`. */
  | { readonly error: string }
  | {
      readonly text: string
      /** As the browser read it; addresses are among the names. */
      readonly certificate: SecurityDetails
      /** Everything that it asked for, the address itself first. */
      readonly requests: readonly string[]
      /** What it complained about, such as a breach of the page's policy. */
      readonly complaints: readonly string[]
      /** What the script came to. */
      readonly value: unknown
    }

export type OpenOptions = {
  /** Of the window, in pixels. */
  readonly width?: number
  /** An expression that is evaluated in the page once it is there, beyond the reach of its policy. */
  readonly script?: string
}

export type Browser = {
  readonly open: (url: string, options?: OpenOptions) => Promise<Shown>
  readonly close: () => Promise<void>
}

/** Without what it does by itself. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
]

/**
 * Starts Chromium, without a window, for somebody with a home of their own, who imported these PEM files as
 * authorities. `hosts` are the names that it finds, with their addresses; beside them it reaches loopback alone.
 */
export async function startBrowser(options: {
  readonly authorities: readonly string[]
  readonly hosts?: Readonly<Record<string, string>>
}): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'muster-browser-'))
  const found = Object.entries(options.hosts ?? {}).map(([name, address]) => `MAP ${name} ${address}`)
  const loopback = ['localhost', '127.0.0.1', '127.0.0.2', '::1'].map((name) => `EXCLUDE ${name}`)
  const rules = [...found, 'MAP * ~NOTFOUND', ...loopback].join(', ')
  try {
    trustIn(home, options.authorities)
    const devtools = await startDevtools({
      program: 'chromium-headless-shell',
      argv: [...flags, `--host-resolver-rules=${rules}`, `--user-data-dir=${join(home, 'profile')}`],
      env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    })
    return {
      open: (url, options = {}) => open(devtools, url, options),
      close: async () => {
        await devtools.close()
        rmSync(home, { recursive: true, force: true, maxRetries: 5 })
      },
    }
  } catch (cause) {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw missing
      ? new Error('a browser is missing: apt-get install chromium-headless-shell libnss3-tools', { cause })
      : cause
  }
}

/** The database of a home that Chromium reads: https://chromium.googlesource.com/chromium/src/+/main/docs/linux/cert_management.md */
function trustIn(home: string, authorities: readonly string[]): void {
  const folder = join(home, '.pki/nssdb')
  mkdirSync(folder, { recursive: true })
  const certutil = (...argv: string[]): void => {
    execFileSync('certutil', ['-d', `sql:${folder}`, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] })
  }
  certutil('-N', '--empty-password')
  authorities.forEach((file, index) => {
    certutil('-A', '-n', `authority ${index}`, '-t', 'C,,', '-i', file)
  })
}

async function open(devtools: Devtools, url: string, { width, script }: OpenOptions): Promise<Shown> {
  const { targetId } = await devtools.send({ method: 'Target.createTarget', params: { url: 'about:blank' } })
  const attached = { method: 'Target.attachToTarget', params: { targetId, flatten: true } }
  const { sessionId: session = '' } = await devtools.send(attached)
  await devtools.send({ method: 'Network.enable', session })
  for (const domain of ['Page', 'Log', 'Audits']) {
    await devtools.send({ method: `${domain}.enable`, session })
  }
  if (width !== undefined) {
    const params = { width, height: 800, deviceScaleFactor: 1, mobile: false }
    await devtools.send({ method: 'Emulation.setDeviceMetricsOverride', params, session })
  }
  await devtools.send({ method: 'Page.setLifecycleEventsEnabled', params: { enabled: true }, session })
  const { errorText, loaderId } = await devtools.send({ method: 'Page.navigate', params: { url }, session })
  if (errorText !== undefined) return { error: errorText }
  const ofPage = (wanted: string) => (method: string, params: Told) =>
    method === wanted && params.loaderId === loaderId
  const { response } = await devtools.event(session, ofPage('Network.responseReceived'))
  await devtools.event(
    session,
    (method, params) => ofPage('Page.lifecycleEvent')(method, params) && params.name === 'load',
  )
  const evaluate = async (expression: string): Promise<unknown> => {
    const params = { expression, awaitPromise: true, returnByValue: true }
    return (await devtools.send({ method: 'Runtime.evaluate', params, session })).result?.value
  }
  const text = String(await evaluate('document.body.innerText'))
  const past = devtools.past(session).map(({ params }) => params)
  const requests = past.flatMap(({ request }) => request?.url ?? [])
  const complaints = past.flatMap(({ entry, issue }) => [entry?.text ?? [], issue?.code ?? []].flat())
  const value = script === undefined ? undefined : await evaluate(script)
  if (response?.securityDetails === undefined) throw new Error(`${url} was shown without a certificate`)
  return { text, certificate: response.securityDetails, requests, complaints, value }
}
