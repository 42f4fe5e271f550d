import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { request } from '../../../src/client/request.ts'
import { type ApiDocument, answerCheck } from '../../support/checkAnswer.ts'
import { serverProgram } from '../../support/serverProgram.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { settingsIn } from '../../support/testServer.ts'
import { installed } from './support.ts'

type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly payload: unknown }>

/** A process that serves these settings, and calls at its socket whose answers are those of its OpenAPI document. */
async function serve(folder: string): Promise<{ readonly child: ChildProcess; readonly call: Call }> {
  const settings = settingsIn(folder, {
    listen: null,
    services: installed,
    stateFile: join(folder, 'manager.json'),
    member: { service: 'alpha', datasource: 'db1', witness: false },
  })
  const file = join(folder, 'settings.json')
  writeFileSync(file, JSON.stringify(settings))
  const child = spawn(process.execPath, [serverProgram, 'serve', '--settings', file], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const complaint = text(child.stderr)
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (JSON.parse(line).msg === 'serving') resolve()
    })
    child.once('exit', () => void complaint.then((words) => reject(new Error(words))))
  })
  const endpoint = { kind: 'socket', path: settings.socket } as const
  const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
    request({ endpoint, method, path, timeout: 25_000, ...(body ? { body } : {}) })
  // Before the calls: nothing comes between an answer and the kill.
  const check = answerCheck((await ask('GET', '/openapi.json')).body as ApiDocument)
  const call: Call = async (method, path, body) => {
    const { status, headers, body: value } = await ask(method, path, body)
    check({ method, path, status, headers, body: JSON.stringify(value) })
    return { status, payload: Reflect.get(Object(value), 'payload') }
  }
  return { child, call }
}

const b1 = { name: 'b1', host: '10.0.1.1', port: 3306, role: 'primary' }
const control = 'control/service/alpha'

/** Changes, each of which builds on the ones before. */
const changes: readonly (readonly [path: string, type?: string, body?: object])[] = [
  ['addDataService', 'DataServicePayload', { name: 'beta', datasources: [b1] }],
  [
    'addDataSource',
    'DataSourcePayload',
    { service: 'beta', ...b1, name: 'b2', host: '10.0.1.2', role: 'replica' },
  ],
  [
    'configuration/module/servicesmap',
    'ServicesMapPayload',
    { services: [...installed.services, { name: 'c', datasources: [] }] },
  ],
  ['reset'],
  [`${control}/policy/manual`],
  [`${control}/offline`],
  [`${control}/online`],
  [`${control}/policy/maintenance`],
  [`${control}/datasource/db2/offline`],
  [`${control}/datasource/db2/online`],
  [`${control}/datasource/db2/shun`],
  [`${control}/datasource/db2/welcome`],
  [`${control}/datasource/db3/shun`],
  [`${control}/datasource/db3/recover`],
  [`${control}/policy/automatic`],
]

describe('a manager that is killed right after an answer', () => {
  it('has every change that it told of when it starts again', async () => {
    const folder = temporaryFolder()
    const root = '/api/v2/manager'
    const look = async (call: Call) => [
      (await call('GET', `${root}/configuration/module/servicesmap`)).payload,
      (await call('GET', `${root}/status/service/alpha`)).payload,
    ]
    let process = await serve(folder)
    let last = JSON.stringify(await look(process.call))
    for (const [path, payloadType, payload] of changes) {
      const { child, call } = process
      const exited = once(child, 'exit')
      const body = payloadType === undefined ? undefined : { payloadType, payload }
      const { status, payload: answer } = await call('POST', `${root}/${path}?i-am-sure=true`, body)
      child.kill('SIGKILL')
      await exited
      expect([path, status, Reflect.get(Object(answer), 'changed')]).toEqual([path, 200, true])

      process = await serve(folder)
      const now = await look(process.call)
      expect(JSON.stringify(now), path).not.toBe(last)
      const told = JSON.stringify(now)
      if (path.startsWith(control)) {
        const { changed: _changed, ...rest } = answer as { changed: boolean }
        // What it answered is what it knows now, of the data source or of the whole service.
        expect(told).toContain(JSON.stringify(rest))
      }
      const again = await process.call('POST', `${root}/${path}?i-am-sure=true`, body)
      expect([path, Reflect.get(Object(again.payload), 'changed')]).toEqual([path, false])
      last = told
    }
  })
})
