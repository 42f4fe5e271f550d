import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeEndpoint } from '../../../src/client/endpoint.ts'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { type Fault, frontDoor, realHost } from '../../deployment/users/viaApi/host.ts'
import { freePort } from '../../support/ports.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { certificate } from '../../support/testServer.ts'

type Host = { readonly ports: readonly number[]; readonly address?: string }

/** A folder with a cluster file of replicator hosts, and `muster users apply --via api` there. */
function workplace(hosts: readonly Host[], defaults: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder()
  const describeHosts = (more: Readonly<Record<string, string>>): void => {
    const names = hosts.map((_, index) => `db${index + 1}`)
    const lines = [
      'cluster: alpha',
      'defaults:',
      '  rest-api-admin-user: admin',
      '  replicator-rest-api-address: 127.0.0.1',
      '  manager-rest-api-address: 127.0.0.1',
      ...Object.entries({ ...defaults, ...more }).map(([name, value]) => `  ${name}: ${value}`),
      'services:',
      `  alpha: { topology: clustered, master: db1, members: [${names.join(', ')}] }`,
      'hosts:',
      ...hosts.map(
        ({ ports: [manager, replicator], address }, index) =>
          `  db${index + 1}: { address: ${address ?? `127.0.0.1`}, options: { manager-rest-api-port: ${manager}, replicator-rest-api-port: ${replicator} } }`,
      ),
    ]
    writeFileSync(join(cwd, 'muster.yaml'), `${lines.join('\n')}\n`)
  }
  describeHosts({})
  writeFileSync(join(cwd, 'ca.pem'), certificate.chain)
  const run = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}, typed?: string) => {
    const { context, out, err } = commandContext({
      cwd,
      env: { HOME: cwd, ...env },
      ...(typed !== undefined && { typed }),
    })
    const code = await muster({
      argv: ['users', 'apply', '--via', 'api', '--yes', '--cacert', 'ca.pem', ...argv],
      context,
    })
    const hidden = (text: string): string =>
      text
        .replace(/:\d{4,5}\b/g, ':PORT')
        .replaceAll(cwd, '/folder')
        .replace(/ \(\d+\.\d s\)| \((?:commit|verify)[^)]*\)/g, '')
        .replace(/(hosts? in) \d+\.\d s/, '$1 N s')
        .replace(/password [\w-]{32}/g, 'password MADE')
    return { code, stdout: hidden(out()), stderr: hidden(err()) }
  }
  const kept = () => {
    const path = join(cwd, '.muster/alpha/secrets.json')
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  }
  return { cwd, run, kept, describeHosts }
}

const portsOf = ({ apis }: Awaited<ReturnType<typeof realHost>>): readonly number[] =>
  apis.map(({ endpoint }) => Number(describeEndpoint(endpoint).replace(/^.*:/, '')))

describe('muster users apply --via api', () => {
  it('generates a password, creates the first user of a host and verifies it; the second run changes nothing', async () => {
    const host = await realHost()
    const { run, kept } = workplace([{ ports: portsOf(host) }])
    const first = await run([])
    expect(first).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "stdout": "alpha: changes on 1 of 1 host

      db1 (127.0.0.1)
        + create the administrator admin

      Plan: 1 to add, 0 to change, 0 to remove on 1 host

      A password was generated and is shown only once. It is stored in
      /folder/.muster/alpha/secrets.json
        user admin  password MADE

      db1: done
      db1  done: 1 change, logins verified
      DONE: 1 host in N s
      ",
      }
    `)
    expect(host.names()).toEqual(['admin'])
    const { password } = kept().users.admin
    expect(first.stdout).not.toContain(password)
    expect(await run([])).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "stdout": "alpha: nothing to do on 1 host.

      db1  nothing to do, logins verified
      DONE: 1 host in N s
      ",
      }
    `)
  })

  it('changes nothing if one host cannot be changed, and the other hosts with --host', async () => {
    const one = await realHost({ ops: 'ops' })
    const nobody = [await freePort(), await freePort()]
    const { run, kept } = workplace(
      [
        { ports: portsOf(one) },
        { ports: nobody, address: 'localhost' },
        { ports: [8090, 8097], address: '192.0.2.3' },
      ],
      { 'rest-api-admin-pass': '!env GIVEN' },
    )
    const env = { GIVEN: 'given long enough', MUSTER_LOGIN_PASSWORD: 'ops' }
    const login = ['--login', 'ops']
    expect(await run(login, env)).toMatchInlineSnapshot(`
      {
        "code": 1,
        "stderr": "error db3: its APIs listen on 127.0.0.1 only, where other machines cannot reach them [loopback-only]
        fix: Run it on db3 itself with --host db3 --connection local, or open an API: set manager-rest-api-address and replicator-rest-api-address and install. Or exclude the host with --host.
      error db2: The connection to https://127.0.0.1:PORT was refused: nothing listens there. [connection-refused]
        fix: Check the address and the port, and that the API runs and listens on that address.
      Nothing was changed: not every host passed the checks.
      ",
        "stdout": "FAILED: 2 of 3 hosts (db2 and db3)
      ",
      }
    `)
    expect(one.names()).toEqual(['ops'])
    expect(await run([...login, '--host', 'db1'], env)).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "stdout": "alpha: changes on 1 of 1 host
        * db1 has ops, not in the file; --prune would remove them

      db1 (127.0.0.1)
        + create the administrator admin

      db2 and db3: not selected

      Plan: 1 to add, 0 to change, 0 to remove on 1 host

      db1: done
      db1  done: 1 change, logins verified
      Only db1 of alpha was selected; db2 and db3 were not contacted.
      DONE: 1 host in N s
      ",
      }
    `)
    expect(await run([...login, '--host', 'db1', '--prune'], env)).toMatchObject({ code: 0 })
    expect(one.names()).toEqual(['admin'])
    expect(JSON.stringify(kept() ?? '')).not.toContain('given long enough')
  })

  it('rolls back a host that fails, reports the users of each host, and the next run completes', async () => {
    const [one, two] = [await realHost({ admin: 'before' }), await realHost({ admin: 'before' })]
    const faults: Fault[] = ['refuse', 'lose-answer']
    const door = await frontDoor(portsOf(two)[0] ?? 0, ({ method, body }) =>
      method === 'POST' && body.includes('"ops"') ? faults.shift() : undefined,
    )
    const { run } = workplace(
      [{ ports: portsOf(one) }, { ports: [door.port, ...portsOf(two).slice(1)], address: 'localhost' }],
      { 'rest-api-admin-pass': '!env ADMIN', 'rest-api-users': '{ ops: !env OPS }' },
    )
    const env = { ADMIN: 'given long enough', OPS: 'another long enough', MUSTER_LOGIN_PASSWORD: 'before' }
    const told = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
      stderr.slice(stderr.indexOf('error db2')) + stdout.slice(stdout.indexOf('\ndb1  ') + 1)
    const refused = await run(['--login', 'admin'], env)
    expect(refused.code).toBe(1)
    expect(told(refused)).toMatchInlineSnapshot(`
      "error db2: the manager at https://127.0.0.1:PORT answered 500: The disk is full. [api-refused]
          Undone: reset the password of admin.
        fix: See the log of the manager on db2, then run the command again.
      db1  done: 2 changes, logins verified
      db2  failed: 1 change committed and rolled back
      committed and rolled back on db2:
        reset the password of admin
      Users as the file says: db1.
      Users as before: db2.
      Fix the reported problem, then run \`muster users apply --via api\` again: it changes only what is missing.
      FAILED: 1 of 2 hosts (db2)
        db2: the manager at https://127.0.0.1:PORT answered 500: The disk is full. [api-refused]
      "
    `)
    expect([one.names(), two.names()]).toEqual([['admin', 'ops'], ['admin']])
    const lost = await run(['--login', 'admin'], env)
    expect(lost.code).toBe(4)
    expect(told(lost)).toMatchInlineSnapshot(`
      "error db2: https://127.0.0.1:PORT closed the connection before the response was complete. [connection-lost]
          Completed there: reset the password of admin.
          Unknown result: create the administrator ops.
          The host is unreachable, so its changes were not undone. The next run continues there.
        fix: Try again. If it fails again, read the log of the component.
      db1  nothing to do, logins verified
      db2  unreachable: 1 change committed
      committed on db2:
        reset the password of admin
      Users as the file says: db1.
      Failed, see above: db2.
      Fix the reported problem, then run \`muster users apply --via api\` again: it changes only what is missing.
      FAILED: 1 of 2 hosts (db2)
        db2: https://127.0.0.1:PORT closed the connection before the response was complete. [connection-lost]
      "
    `)
    const last = await run(['--login', 'admin'], env)
    expect(last, last.stderr).toMatchObject({ code: 0 })
    expect([one.names(), two.names()]).toEqual(Array(2).fill(['admin', 'ops']))
    expect((await run([], env)).stdout).toContain('alpha: nothing to do on 2 hosts.')
    await door.close()
  })

  it('prints events as JSON lines, without any password', async () => {
    const host = await realHost()
    const { run } = workplace([{ ports: portsOf(host) }], { 'rest-api-admin-pass': '!env GIVEN' })
    const { code, stdout } = await run(['--json'], { GIVEN: 'given long enough' })
    expect(code).toBe(0)
    expect(stdout).not.toContain('given long enough')
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.at(-1)).toMatchObject({
      type: 'run-ended',
      outcomes: [{ host: 'db1', result: 'changed', proved: 'logins verified' }],
    })
  })

  it.each([
    ['a password without a user', ['--login-password-stdin'], '--login-password-stdin requires --login.'],
    ['an authority that is none', ['--cacert', 'muster.yaml'], 'contains no readable PEM certificate'],
  ])('refuses %s', async (_, argv, message) => {
    const { run } = workplace([{ ports: [8090, 8097] }])
    expect(await run(argv)).toMatchObject({ code: 3, stderr: expect.stringContaining(message) })
  })
})
