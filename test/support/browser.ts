import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

const program = '/usr/bin/chromium-headless-shell'
/** Runs it on a machine whose network interfaces come and go. */
const launcher = fileURLToPath(new URL('chromiumWithoutNetlink.pl', import.meta.url))

/** Without what it does by itself. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Starts Debian's Chromium, without a window, for somebody with a home of their own, who imported these PEM files as
 * authorities. `hosts` are the names and addresses that it finds, with their addresses; beside them it reaches loopback
 * alone. `close` ends the process and removes the home.
 */
export async function startBrowser(options: {
  readonly authorities: readonly string[]
  readonly hosts?: Readonly<Record<string, string>>
}): Promise<Browser> {
  if (!existsSync(program)) {
    throw new Error('a browser is missing: apt-get install chromium-headless-shell libnss3-tools')
  }
  const home = mkdtempSync(join(tmpdir(), 'muster-browser-'))
  const removeHome = (): void => rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  const found = Object.entries(options.hosts ?? {}).map(([name, address]) => `MAP ${name} ${address}`)
  const loopback = ['localhost', '127.0.0.1', '127.0.0.2', '::1'].map((name) => `EXCLUDE ${name}`)
  const rules = [...found, 'MAP * ~NOTFOUND', ...loopback].join(', ')
  try {
    trustIn(home, options.authorities)
    const browser = await chromium.launch({
      executablePath: launcher,
      args: [...flags, `--host-resolver-rules=${rules}`],
      env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    })
    browser.once('disconnected', removeHome)
    return browser
  } catch (cause) {
    removeHome()
    throw cause
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

/** All that a page did from the moment at which it was watched. */
export type PageRecord = {
  /** URLs that it asked for, in order. */
  readonly requests: readonly string[]
  /** Errors and warnings of its console, such as a breach of its policy, and errors that nobody caught. */
  readonly complaints: readonly string[]
}

/** Records what a page does; call it before the page goes anywhere. */
export function watchPage(page: Page): PageRecord {
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  return { requests, complaints }
}
