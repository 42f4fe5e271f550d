import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import ssh2, { type Client } from 'ssh2'
import { describe, expect, it } from 'vitest'
import type { LoginKey } from '../../src/transport/login/loginKeys.ts'
import { pipelineAuth } from '../../src/transport/pipelineAuth.ts'
import { startDelayingProxy } from '../support/delayingProxy.ts'
import { startSshServer } from '../support/sshServer.ts'

const source = fileURLToPath(new URL('../../src', import.meta.url))

const nothing = (): void => undefined

/** A client that has begun to speak to nobody. */
function begun(): Client {
  const client = new ssh2.Client()
  client.on('error', () => undefined)
  return client.connect({ sock: new PassThrough(), username: 'ops', readyTimeout: 0 })
}

function keyOf(text: string | Buffer): LoginKey {
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error) throw key
  return { label: 'the key', key }
}

describe('the private members of ssh2 for a faster login', () => {
  it('exist in the installed version', () => {
    // Another version: look at what pipelineAuth.ts uses of it, then name the version here and there.
    expect(createRequire(import.meta.url)('ssh2/package.json').version).toBe('1.17.0')
    const client = begun()
    expect(pipelineAuth(client, [])).toBe(true)
    client.destroy()
  })

  it.each([
    ['the protocol', {}],
    ['service()', { authPK: nothing, _handlers: { SERVICE_ACCEPT: nothing } }],
    ['authPK()', { service: nothing, _handlers: { SERVICE_ACCEPT: nothing } }],
    ['the handlers', { service: nothing, authPK: nothing }],
    ['the handler', { service: nothing, authPK: nothing, _handlers: {} }],
    ['a function', { service: 1, authPK: nothing, _handlers: { SERVICE_ACCEPT: nothing } }],
  ])('are not used if %s is missing', (_, protocol) => {
    const before = { ...protocol }
    const client = Object.assign(new ssh2.Client(), { _protocol: protocol })
    expect(pipelineAuth(client, [])).toBe(false)
    expect(protocol).toEqual(before)
  })

  it('are absent before a client connects', () => {
    expect(pipelineAuth(new ssh2.Client(), [])).toBe(false)
  })

  it('save two round trips of a login, which also succeeds without them', async () => {
    const server = await startSshServer()
    const privateKey = readFileSync(server.clientKeyPath)
    const turns = async (pipelined: boolean): Promise<number> => {
      const proxy = await startDelayingProxy({ to: server, delay: 100 })
      const client = new ssh2.Client()
      const ready = new Promise<void>((resolve, reject) => {
        client.on('ready', () => resolve())
        client.on('error', reject)
      })
      client.connect({
        sock: connect(proxy.port, proxy.address),
        username: 'ops',
        authHandler: (_left, _partial, next) => next({ type: 'publickey', username: 'ops', key: privateKey }),
      })
      if (pipelined) expect(pipelineAuth(client, [keyOf(privateKey)])).toBe(true)
      await ready
      const counted = proxy.turns()
      client.destroy()
      await proxy.close()
      return counted
    }
    expect((await turns(false)) - (await turns(true))).toBe(2)
    await server.close()
  })

  it('are the only private members of a library in the source', () => {
    const reaching = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) => /\._[a-z]|'_[a-z]\w*' in/i.test(readFileSync(`${source}/${file}`, 'utf8')))
    expect(reaching).toEqual(['transport/pipelineAuth.ts'])
  })
})
