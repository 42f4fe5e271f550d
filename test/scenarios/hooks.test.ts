import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, createServer as createDatabase } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createServerCertificate } from '../support/serverCertificate.ts'
import { clusterFile } from './support/clusterFile.ts'
import { packageDirectory } from './support/operator.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

const muster = `${process.execPath} ${packageDirectory}/dist/muster.js`

/** What a database says to whom it does not let in: a packet with ER_ACCESS_DENIED_ERROR. */
const rejectedLogin = ((): Buffer => {
  const payload = Buffer.from("\xff\x15\x04#28000Access denied for user 'repl'", 'latin1')
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload])
})()

/** Each test goes on where the last one ended. */
describe.skipIf(process.platform !== 'linux')('hooks around runs on hosts (needs Linux)', () => {
  let world: World
  let webhooks: Server
  const told: { readonly event: string; readonly title: string; readonly outcome: string }[] = []
  const file = (name: string) => join(world.operator.directory, name)
  const said = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '')

  /** Writes alpha.yaml with programs of sh as hooks, and a webhook. */
  function describeWith(
    hooks: Readonly<Record<string, string>>,
    defaults: Readonly<Record<string, string | number>> = {},
  ): void {
    const { operator } = world
    // Connectors of one machine.
    const hosts = world.hosts.map((host) => ({ ...host, options: { 'application-address': host.address } }))
    const programs = Object.entries(hooks).map(([name, script]) => {
      chmodSync(operator.write(`${name}.sh`, `#!/bin/sh\n${script}\n`), 0o755)
      return `  ${name}: !exec [./${name}.sh]\n`
    })
    const { port } = webhooks.address() as AddressInfo
    operator.write(
      'alpha.yaml',
      `${clusterFile({ hosts, defaults })}${programs.length === 0 ? '' : `hooks:\n${programs.join('')}`}notify:
  - url: !env HOOK_URL
    ca: webhook.crt
    on: [run-ended]
`,
    )
    operator.env.HOOK_URL = `https://127.0.0.1:${port}/sentinel-token`
  }

  beforeAll(async () => {
    world = await createWorld(3)
    const certificate = createServerCertificate()
    world.operator.write('webhook.crt', certificate.chain)
    webhooks = createServer({ key: certificate.key, cert: certificate.chain }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        told.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
        response.end()
      })
    })
    await new Promise<void>((resolve) => webhooks.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    told.length = 0
    rmSync(file('said'), { force: true })
  })
  afterAll(async () => {
    webhooks?.close()
    await world?.close()
    expect(world.operator.printed()).not.toContain('sentinel')
  })

  it('leave everything as it is if before-run fails', async () => {
    describeWith({ 'before-run': 'echo no change window >&2; exit 1', 'after-run': 'touch said' })
    const before = world.hosts.map(({ directory }) => snapshot(join(directory, '../..')))
    const { code, stderr } = await world.muster('install')
    expect(code).toBe(1)
    expect(stderr).toContain('ended with code 1 and said: no change window [hook-failed]')
    expect(stderr).toContain('Nothing was changed.')
    expect(world.hosts.map(({ directory }) => snapshot(join(directory, '../..')))).toEqual(before)
    expect(existsSync(file('said'))).toBe(false)
    expect(told).toMatchObject([{ event: 'run-failed' }])
  })

  it('keep one host as it is if its before-host fails, while the others are installed', async () => {
    describeWith({
      'before-host': `case $(cat) in *'"host":"db2"'*) echo backup failed >&2; exit 7;; esac`,
      'on-failure': 'cat >> said',
      'after-run': 'cat >> said',
    })
    const { code, stdout, stderr } = await world.muster('install')
    expect(code).toBe(1)
    expect(stderr).toContain('the before-host hook of db2, ./before-host.sh')
    expect(stdout).toContain('FAILED: 1 of 3 hosts (db2)')
    const { directory } = world.host('db2')
    // Sent beside what runs, for the next run.
    expect(existsSync(join(directory, 'releases'))).toBe(true)
    for (const name of ['current', 'deployment.jsonl', 'share/manager.json'])
      expect(existsSync(join(directory, name)), name).toBe(false)
    expect(world.host('db2').pids()).toEqual({})
    expect(world.host('db1').pids()).toHaveProperty('manager')
    expect(world.host('db3').pids()).toHaveProperty('connector')
    const events = said('said')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toMatchObject([
      { event: 'on-failure', host: 'db2', failure: { code: 'hook-failed' }, restored: false },
      { event: 'after-run', results: { db1: 'changed', db2: 'failed', db3: 'changed' }, exit: 1 },
    ])
    expect(told).toMatchObject([
      { event: 'run-failed', outcome: 'failed', title: 'alpha: install failed on 1 of 3 hosts: db2' },
    ])
  })

  it('run for the hosts that the next run changes, and for no other', async () => {
    describeWith({ 'before-host': 'cat >> said' })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect(said('said').match(/"host":"db\d"/g)).toEqual(['"host":"db2"'])
    expect(told).toMatchObject([{ event: 'run-ended', outcome: 'ok' }])
    told.length = 0
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect(told).toEqual([])
  })

  it('may restart components under the locks of their run, and look at hosts', async () => {
    const script = `{ ${muster} restart --yes --host db3 alpha.yaml; echo "restart $?"
${muster} status alpha.yaml > /dev/null; echo "status $?"; } >> said 2>&1`
    describeWith({ 'before-run': script }, { 'log-level': 'debug' })
    const before = world.host('db3').pids()
    const outcome = await world.muster('install')
    expect(outcome, said('said')).toMatchObject({ code: 0 })
    expect(said('said')).toContain('restart 0\n')
    expect(said('said')).toContain('status 0\n')
    expect(world.host('db3').pids()).not.toEqual(before)
    expect(readdirSync(file('.muster/alpha')).filter((name) => name.startsWith('lock'))).toEqual([])
  })

  it('may not install while their run goes on, which is said at once', async () => {
    const script = `${muster} install --yes --lock-wait 5m alpha.yaml > said 2>&1; echo "exit $?" >> said`
    describeWith({ 'before-host': `cat > /dev/null; ${script}` }, { 'log-level': 'warn' })
    const outcome = await world.muster('restart', ['--host', 'db3'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(said('said')).toContain('the before-host hook of the run that holds the lock started this command')
    expect(said('said')).toContain('exit 5\n')
  })

  it('may do everything in after-run, without hooks of their own', async () => {
    const script = `{ echo began; ${muster} users rotate admin --yes alpha.yaml; echo "rotate $?"; } >> said 2>&1`
    describeWith({ 'after-run': script })
    const outcome = await world.muster('restart')
    expect(outcome, said('said')).toMatchObject({ code: 0 })
    expect(said('said')).toContain('rotate 0\n')
    expect(said('said').match(/began/g)).toHaveLength(1)
  })

  it('keep out a muster that no hook started, whatever its environment says', async () => {
    const script = `${muster} restart --yes alpha.yaml > said 2>&1; echo "exit $?" >> said; touch done`
    // Init adopts it, so no process above it holds the lock.
    describeWith({ 'before-run': `setsid -f sh -c '${script}'; while [ ! -e done ]; do sleep 0.1; done` })
    expect(await world.muster('restart')).toMatchObject({ code: 0 })
    expect(said('said')).toContain('another muster run holds db1, db2 and db3: `muster restart`, process ')
    expect(said('said')).toContain('exit 5\n')
    rmSync(file('done'))
  })

  it('show in plan, and are tested by notify', async () => {
    describeWith({ 'before-run': 'true' }, { 'log-level': 'error' })
    const { stdout } = await world.muster('plan')
    expect(stdout).toContain('* hooks on this machine: before-run ./before-run.sh')
    expect(await world.muster('notify')).toMatchObject({ code: 0 })
    expect(told).toMatchObject([{ event: 'test' }])
    world.operator.env.HOOK_URL = 'http://127.0.0.1/sentinel'
    const failed = await world.muster('notify')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('its URL does not begin with https://')
  })

  it('tell webhooks of an installation that is incomplete, since a database rejects an account', async () => {
    const database = createDatabase((socket) => void socket.end(rejectedLogin))
    onTestFinished(() => void database.close())
    await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve))
    world.operator.env.REPLICATION_PASSWORD = 'sentinel-of-the-database'
    describeWith(
      {},
      {
        'datasource-type': 'mariadb',
        'replication-host': '127.0.0.1',
        'replication-port': (database.address() as AddressInfo).port,
        'replication-user': 'repl',
        'replication-password': '!env REPLICATION_PASSWORD',
      },
    )
    const { code, stdout, stderr } = await world.muster('install')
    expect(code, stdout + stderr).toBe(6)
    expect(told).toMatchObject([
      {
        event: 'run-failed',
        outcome: 'failed',
        exit: 6,
        hosts: [],
        title: 'alpha: install is incomplete on 3 hosts',
      },
    ])
  })
})
