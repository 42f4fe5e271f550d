import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { browserOpener, openBrowser } from '../../../src/commands/dashboard/openBrowser.ts'
import type { ProcessOptions } from '../../../src/processes/run.ts'
import { Secret } from '../../../src/secrets/secret.ts'

const url = new Secret('http://muster-1.localhost:4000/dashboard/#token=abc')

describe('opening the dashboard in a browser', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', {}, undefined],
    ['linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, undefined],
    ['darwin', {}, 'open'],
  ] as const)('on %s with %o uses %s', (platform, env, program) => {
    expect(browserOpener(platform, env)).toBe(program)
  })

  it('keeps the token out of arguments and environment, in a file that nobody else can read', async () => {
    const calls: ProcessOptions[] = []
    let page = ''
    const opened = await openBrowser({
      url,
      env: { DISPLAY: ':0', HOME: '/root' },
      platform: 'linux',
      start: async (options) => {
        calls.push(options)
        page = options.command[1] ?? ''
        expect(readFileSync(page, 'utf8')).toContain(url.reveal())
        expect(statSync(page).mode & 0o777).toBe(0o600)
        expect(statSync(dirname(page)).mode & 0o777).toBe(0o700)
        return { code: 0, stdout: '', stderr: '' }
      },
    })
    expect(JSON.stringify(calls)).not.toContain('token=')
    expect(calls[0]?.extraEnv).toEqual({ DISPLAY: ':0' })
    await opened?.remove()
    expect(() => statSync(dirname(page))).toThrow('ENOENT')
  })

  it('leaves no file where the browser does not start', async () => {
    let page = ''
    const opened = await openBrowser({
      url,
      env: { DISPLAY: ':0' },
      platform: 'linux',
      start: async ({ command: [, path = ''] }) => {
        page = path
        throw new Error('no such program')
      },
    })
    expect(opened).toBeUndefined()
    expect(() => statSync(page)).toThrow('ENOENT')
  })
})
