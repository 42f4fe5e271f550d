import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Component, components } from '../../src/contracts/component.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { type ApiHost, startApiHost } from './support/apiHost.ts'
import { type Browser, type OpenOptions, startBrowser } from './support/browser.ts'

let host: ApiHost
let browser: Browser
beforeAll(async () => {
  host = await startApiHost({ host: 'db2', followsManager: false })
  browser = await startBrowser({ authorities: [host.authority] })
})
afterAll(async () => {
  await browser?.close()
  await host?.stop()
})

const origin = (component: Component): string => `https://127.0.0.1:${host.ports[component]}`

async function openDocs(component: Component, options: OpenOptions = {}) {
  const shown = await browser.open(`${origin(component)}/docs`, options)
  if ('error' in shown) throw new Error(shown.error)
  return shown
}

it.each(components)(
  'shows every call of the %s, asks for nothing else, and breaks no policy',
  async (component) => {
    const { text, requests, complaints } = await openDocs(component)
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
  const script = `new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
    document.body.append(${element})
  })`
  expect((await openDocs('manager', { script })).value).toBe(directive)
})

it('applies its style sheet', async () => {
  const script = "getComputedStyle(document.querySelector('pre')).whiteSpaceCollapse"
  expect((await openDocs('manager', { script })).value).toBe('preserve')
  const columns = "getComputedStyle(document.querySelector('.columns')).display"
  expect((await openDocs('manager', { script: columns, width: 1280 })).value).toBe('grid')
  expect((await openDocs('manager', { script: columns, width: 360 })).value).toBe('block')
})

it.each([320, 360, 1280, 2560])('has nothing wider than a window of %i px', async (width) => {
  for (const component of components) {
    const script = `[...document.querySelectorAll('body *')]
      .filter((it) => !it.classList.contains('skip') && it.getBoundingClientRect().right > ${width})
      .map((it) => it.outerHTML.slice(0, 80)).join()`
    expect((await openDocs(component, { width, script })).value).toBe('')
  }
})

it('leads every link to a place that can be seen', async () => {
  const script = `[...document.querySelectorAll('nav a')]
    .filter(({ hash }) => !document.querySelector(hash)?.checkVisibility()).length`
  expect((await openDocs('manager', { script })).value).toBe(0)
})

/** Runs a command of the page as it stands there, but for the password, which a person would type. */
async function runAsShown(command: string): Promise<string> {
  const login = `silent\nfail-with-body\nuser = "admin:${host.password.replaceAll('"', '\\"')}"\n`
  writeFileSync(join(host.folder, 'login'), login, { mode: 0o600 })
  const line = command.replace('--user admin', '--config login')
  expect(line.split('--config login').length).toBeLessThanOrEqual(2)
  const trusted = line.replace('authority.crt', host.authority)
  return (await promisify(execFile)('bash', ['-c', trusted], { cwd: host.folder })).stdout
}

it.each(components)('shows curl commands for the %s that work as they stand', async (component) => {
  const script =
    "[...document.querySelectorAll('pre.curl')].map(({ textContent }) => textContent).join('\\0')"
  const { value } = await openDocs(component, { script })
  const commands = String(value).split('\0')
  expect(commands).toHaveLength(componentRoutes(component).length)
  // A switch needs three servers that follow each other; the lab has them.
  const here = commands.filter((command) => !/\/(switch|hold|release|task\/[^/]+)(\?|'|$)/m.test(command))
  expect(commands.length - here.length).toBe(component === 'manager' ? 5 : 0)
  // A connector that was taken offline is not ready: what changes something comes last.
  const changes = (command: string): boolean => command.includes('--request POST')
  for (const command of here.toSorted((a, b) => Number(changes(a)) - Number(changes(b)))) {
    const answer = await runAsShown(command)
    expect(answer, command).not.toBe('')
  }
})
