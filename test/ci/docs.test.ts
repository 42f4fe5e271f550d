import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Component, components } from '../../src/contracts/component.ts'
import { accessibilityViolations } from '../support/axe.ts'
import { startBrowser, watchPage } from '../support/browser.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { type ApiHost, startApiHost } from './support/apiHost.ts'

let host: ApiHost
let browser: Browser
const pages: Page[] = []
beforeAll(async () => {
  host = await startApiHost({ host: 'db2', followsManager: false })
  browser = await startBrowser({ authorities: [host.authority] })
})
afterEach(async () => {
  await Promise.all(pages.splice(0).map((page) => page.close()))
})
afterAll(async () => {
  await browser?.close()
  await host?.stop()
})

const origin = (component: Component): string => `https://127.0.0.1:${host.ports[component]}`

async function openDocs(component: Component, { width = 1280 } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  pages.push(page)
  const record = watchPage(page)
  await page.goto(`${origin(component)}/docs`)
  return { page, ...record }
}

it.each(components)(
  'shows every call of the %s, asks for nothing else, and breaks no policy',
  async (component) => {
    const { page, requests, complaints } = await openDocs(component)
    const text = await page.locator('body').innerText()
    expect(text).toContain(`APIv2 of the ${component}`)
    for (const { path } of componentRoutes(component)) expect(text).toContain(path)
    expect(requests).toEqual([`${origin(component)}/docs`])
    expect(complaints).toEqual([])
  },
)

it.each([
  ['image', "Object.assign(document.createElement('img'), { src: '/ping.png' })", 'img-src'],
  ['script', "Object.assign(document.createElement('script'), { src: '/ping.js' })", 'script-src-elem'],
  ['style', "Object.assign(document.createElement('style'), { textContent: '* {}' })", 'style-src-elem'],
  ['frame', "Object.assign(document.createElement('iframe'), { src: '/docs' })", 'frame-src'],
])('lets no %s into the page', async (_name, element, directive) => {
  const { page, complaints } = await openDocs('manager')
  const refused = page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
    document.body.append(${element})
  })`)
  expect(await refused).toBe(directive)
  await expect.poll(() => complaints).toEqual([expect.stringContaining('Content Security Policy')])
})

it('applies its style sheet', async () => {
  const { page } = await openDocs('manager')
  const style = (selector: string, property: string): Promise<unknown> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  expect(await style('pre', 'whiteSpaceCollapse')).toBe('preserve')
  expect(await style('.columns', 'display')).toBe('grid')
  await page.setViewportSize({ width: 360, height: 800 })
  expect(await style('.columns', 'display')).toBe('block')
})

it.each([320, 360, 1280, 2560])('has nothing wider than a window of %i px', async (width) => {
  for (const component of components) {
    const { page } = await openDocs(component, { width })
    const wider = page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((it) => !it.classList.contains('skip') && it.getBoundingClientRect().right > ${width})
      .map((it) => it.outerHTML.slice(0, 80))`)
    expect(await wider).toEqual([])
  }
})

it('leads every link to a place that can be seen', async () => {
  const { page } = await openDocs('manager')
  const links = await page.getByRole('navigation').getByRole('link').all()
  expect(links.length).toBeGreaterThan(10)
  for (const link of links) {
    const target = page.locator(`[id="${(await link.getAttribute('href'))?.slice(1)}"]`)
    expect(await target.isVisible(), await link.innerText()).toBe(true)
  }
})

it.each(['light', 'dark'] as const)('is accessible to everybody in %s colours', async (colorScheme) => {
  for (const component of components) {
    const { page } = await openDocs(component)
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityViolations(page), component).toEqual([])
  }
})

/** Exit code of curl(1) after `max-time`. */
const timedOut = 28

/** Runs a command of the page as it stands there, but for the password, which a person would type. */
async function runAsShown(command: string): Promise<string> {
  // A stream of events has no end of its own.
  const isStream = command.includes('/events')
  const limit = isStream ? 'max-time = 3\n' : ''
  const login = `silent\nfail-with-body\n${limit}user = "admin:${host.password.replaceAll('"', '\\"')}"\n`
  writeFileSync(join(host.folder, 'login'), login, { mode: 0o600 })
  const line = command.replace('--user admin', '--config login')
  expect(line.split('--config login').length).toBeLessThanOrEqual(2)
  const trusted = line.replace('authority.crt', host.authority)
  const run = promisify(execFile)('bash', ['-c', trusted], { cwd: host.folder })
  return run.then(
    ({ stdout }) => stdout,
    (error: { readonly code?: number; readonly stdout?: string }) => {
      if (isStream && error.code === timedOut) return error.stdout ?? ''
      throw error
    },
  )
}

it.each(components)('shows curl commands for the %s that work as they stand', async (component) => {
  const { page } = await openDocs(component)
  const commands = await page.locator('pre.curl').allTextContents()
  expect(commands).toHaveLength(componentRoutes(component).length)
  // A switch and a failover need servers that follow each other, and a change is taken back from another manager; the lab
  // has them.
  const elsewhere = /\/(switch|failover|undo|task\/[^/]+)(\?|'|$)/m
  const here = commands.filter((command) => !elsewhere.test(command))
  expect(commands.length - here.length).toBe(component === 'manager' ? 6 : 0)
  // A connector that was taken offline is not ready: what changes something comes last.
  const changes = (command: string): boolean => command.includes('--request POST')
  for (const command of here.toSorted((a, b) => Number(changes(a)) - Number(changes(b)))) {
    const answer = await runAsShown(command)
    expect(answer, command).not.toBe('')
  }
})
