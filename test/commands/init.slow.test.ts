import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Interrupted } from '../../src/cli/interrupted.ts'
import { UsageError } from '../../src/cli/usageError.ts'
import { checkStartingFile } from '../../src/commands/init/askAnswers.ts'
import { init } from '../../src/commands/init.ts'
import { muster } from '../../src/commands/muster.ts'
import { validate } from '../../src/commands/validate.ts'
import { loadConfig } from '../../src/config/load.ts'
import { schemaId, schemaText } from '../../src/config/reference/schema.ts'
import { commandContext } from '../config/commandContext.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

async function run(cwd: string, file = 'muster.yaml', force = false) {
  const { context, out, err } = commandContext({ cwd })
  return { code: await init({ context, file, force }), out: out(), err: err() }
}

describe('muster init', () => {
  it('writes a file that only the owner can read and that has no findings', async () => {
    const cwd = temporaryFolder()
    const result = await run(cwd)
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toBe(
      'Wrote muster.yaml, and muster.schema.json for editors with the YAML language server.\n' +
        'The APIs will listen on all addresses of the hosts. For loopback alone, remove\n' +
        'the lines *-rest-api-address.\n' +
        'Next:\n' +
        '  1. Put your hosts into it.\n' +
        '  2. muster validate   check the file\n' +
        '  3. muster trust      accept the SSH keys of the hosts\n' +
        '  4. muster check      look for problems on the hosts\n' +
        '  5. muster plan       show what would change\n' +
        '  6. muster install    install, and verify every login\n',
    )
    expect(statSync(join(cwd, 'muster.yaml')).mode & 0o777).toBe(0o600)
    const { context, out } = commandContext({ cwd })
    expect(
      await validate({ context, files: [], set: [], format: 'text', strict: true, resolveSecrets: false }),
    ).toBe(0)
    expect(out()).toBe('The configuration of alpha is valid: 3 hosts, 9 APIs.\n')
  })

  it('keeps what the next commands do in its column on a narrow terminal', async () => {
    let text = ''
    const stdout = { write: (part: string) => (text += part), columns: 60 }
    const { context } = commandContext({ cwd: temporaryFolder(), stdout })
    await init({ context, file: 'c.yaml', force: false, given: { hosts: ['db1=10.0.0.11'], user: 'ops' } })
    expect(text).toContain(
      `  1. muster trust c.yaml      accept the SSH keys of the\n${' '.repeat(30)}hosts\n`,
    )
  })

  it('contains only valid options, also in comments', async () => {
    const cwd = temporaryFolder()
    await run(cwd)
    const text = readFileSync(join(cwd, 'muster.yaml'), 'utf8')
    // Every line that is an option behind "# " is put to use.
    const used = text.replaceAll(/^( *)# (ssh|options|identity|(?!yaml-)[a-z]+-[a-z-]+): /gm, '$1$2: ')
    expect(used.split('\n').filter((line, index) => line !== text.split('\n')[index]).length).toBeGreaterThan(
      8,
    )
    const env = { KEYSTORE_PASS: 'one', TRUSTSTORE_PASS: 'two' }
    const { context, out } = commandContext({ cwd, typed: used, env })
    await validate({ context, files: ['-'], set: [], format: 'json', strict: true, resolveSecrets: false })
    const { findings } = JSON.parse(out()) as { findings: { code: string }[] }
    expect([...new Set(findings.map(({ code }) => code))].sort()).toEqual([
      'shared-keystore',
      'store-not-found',
    ])
  })

  it('writes the schema that the first line names, beside the file', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'sub'))
    const { out } = await run(cwd, 'sub/cluster.yaml')
    expect(out).toMatch(/^Wrote sub\/cluster\.yaml, and sub\/muster\.schema\.json for editors/)
    expect(out).toContain('  2. muster validate sub/cluster.yaml   check')
    const [first = ''] = readFileSync(join(cwd, 'sub/cluster.yaml'), 'utf8').split('\n')
    const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? []
    expect(readFileSync(join(cwd, 'sub', named), 'utf8')).toBe(schemaText())
  })

  it('updates an older schema, and keeps a file that is not a schema of muster', async () => {
    const cwd = temporaryFolder()
    const schema = join(cwd, 'muster.schema.json')
    writeFileSync(schema, `{ "$id": "${schemaId}" }`)
    expect((await run(cwd)).code).toBe(0)
    expect(readFileSync(schema, 'utf8')).toBe(schemaText())
    writeFileSync(schema, 'mine')
    const { code, out } = await run(cwd, 'other.yaml')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^Wrote other\.yaml, but not the schema for editors: muster\.schema\.json already exists/,
    )
    expect(readFileSync(schema, 'utf8')).toBe('mine')
  })

  it('overwrites only with --force, and then atomically', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'muster.yaml'), 'mine', { mode: 0o644 })
    const refused = await run(cwd)
    expect(refused.code).toBe(3)
    expect(refused.err).toBe(
      'muster.yaml already exists and was not changed.\nTo overwrite it: muster init --force muster.yaml\n',
    )
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toBe('mine')
    expect((await run(cwd, 'muster.yaml', true)).code).toBe(0)
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toContain('cluster: alpha')
    expect(statSync(join(cwd, 'muster.yaml')).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd)).toEqual(['muster.schema.json', 'muster.yaml'])
  })

  it('reports why it cannot write, and leaves nothing', async () => {
    const cwd = temporaryFolder()
    expect((await run(cwd, 'no/muster.yaml')).err).toContain('its folder does not exist')
    expect((await run(cwd, '.', true)).err).toContain('is a directory')
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('muster init with answers', () => {
  /** Runs it at a terminal where these lines are typed. */
  async function answer(cwd: string, lines: readonly string[], given = {}) {
    const { context, out, err } = commandContext({ cwd, env: { USER: 'ops', HOME: cwd } })
    const stdin = Object.assign(Readable.from([lines.map((line) => `${line}\n`).join('')]), { isTTY: true })
    const code = await init({
      context: { ...context, stdin },
      file: 'muster.yaml',
      force: false,
      given,
    }).catch((error: unknown) => error)
    return { code, out: out(), err: err() }
  }
  const configOf = (cwd: string) =>
    loadConfig({
      files: [{ name: 'muster.yaml', directory: cwd, text: readFileSync(join(cwd, 'muster.yaml'), 'utf8') }],
      home: cwd,
    })

  it('asks at a terminal, and names the next commands', async () => {
    const cwd = temporaryFolder()
    const { code, out, err } = await answer(cwd, ['beta', 'db1=10.1.0.1, db2=10.1.0.2', '', '', '', 'no'])
    expect(code).toBe(0)
    expect(err).toMatchInlineSnapshot(`
      "This writes a configuration file. Enter takes the answer in brackets; Ctrl-C
      ends without a file.
      Name of the cluster [alpha]: Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine: User to log in as over SSH [ops]: Does ops become root by sudo? [yes]: Do the hosts run database servers of this cluster? [no]: Test the connections to the hosts now? [yes]: "
    `)
    expect(out).toMatch(
      /^Wrote muster\.yaml[^\n]*\nThe APIs will listen on all addresses [^\n]*\n[^\n]*\nNext:\n {2}1\. muster trust .*\n {2}2\. muster check .*\n {2}3\. muster plan .*\n {2}4\. muster install .*\n$/,
    )
    const { config, diagnostics } = configOf(cwd)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(config).toMatchObject({
      cluster: 'beta',
      hosts: [
        { name: 'db1', address: '10.1.0.1', ssh: { user: 'ops', become: true } },
        { name: 'db2', address: '10.1.0.2' },
      ],
    })
  })

  it('asks again for what the file could not have, with the message of the file', async () => {
    const cwd = temporaryFolder()
    const { code, err } = await answer(cwd, [
      ...['Beta!', 'beta', '', 'db1=10.0.0.1 db1=10.0.0.2', 'db1=not/valid', 'db1=10.0.0.1'],
      ...['a b', 'root', 'perhaps', 'yes', 'oracle', 'mysql', 'no'],
    ])
    expect(code).toBe(0)
    expect(err).toMatchInlineSnapshot(`
      "This writes a configuration file. Enter takes the answer in brackets; Ctrl-C
      ends without a file.
      Name of the cluster [alpha]:   The cluster name must have 1 to 40 lower-case letters, digits and hyphens.
        fix: Write, for example: cluster: alpha
      Name of the cluster [alpha]: Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine:   Give each host a name and an address, as NAME=ADDRESS, with spaces between
        them.
      Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine:   db1 is listed twice in members.
        fix: Remove it, or correct the host name.
      Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine:   address must be an IP address or a host name, not the text "not/valid".
        fix: Write the address alone, without user, port or https://
      Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine: User to log in as over SSH [ops]:   user must be a user name to log in with, not the text "a b".
        fix: Write, for example: user: ops
      User to log in as over SSH [ops]: Do the hosts run database servers of this cluster? [no]:   Answer yes or no.
      Do the hosts run database servers of this cluster? [no]: Their kind, mariadb or mysql [mariadb]:   Answer mariadb or mysql.
      Their kind, mariadb or mysql [mariadb]:   muster needs two accounts in the databases: muster for replication and
        muster_monitor for checks. Put their passwords into the environment, as
        REPLICATION_PASSWORD and MONITOR_PASSWORD. \`muster explain replication-user\`
        and \`muster explain monitor-user\` print the SQL.
      Test the connections to the hosts now? [yes]: "
    `)
    expect(configOf(cwd).config?.hosts[0]).toMatchObject({
      ssh: { user: 'root' },
      database: { type: 'mysql' },
    })
  })

  it('leaves nothing after Ctrl-C or the end of the input, and asks nothing if the file is there', async () => {
    const cwd = temporaryFolder()
    const ended = await answer(cwd, ['beta', 'db1=10.0.0.1'])
    expect(ended.code).toMatchObject({ message: 'The input ended before the last question.' })
    const stop = new AbortController()
    const { context, err } = commandContext({ cwd })
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const running = init({
      context: { ...context, stdin, signal: stop.signal },
      file: 'muster.yaml',
      force: false,
    })
    stdin.write('beta\ndb1=10.0.0.1\n')
    await eventually(() => expect(err()).toContain('over SSH'))
    stop.abort()
    await expect(running).rejects.toBeInstanceOf(Interrupted)
    expect(err()).toMatch(/\nNo file was written\.\n$/)
    expect(readdirSync(cwd)).toEqual([])
    writeFileSync(join(cwd, 'muster.yaml'), 'mine')
    expect(await answer(cwd, [])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^muster.yaml already exists/),
    })
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toBe('mine')
  })

  it('takes the answers from options and asks nothing', async () => {
    const cwd = temporaryFolder()
    const given = {
      hosts: ['db1=10.0.0.1,db2=10.0.0.2', 'db3.example.org'],
      user: 'ops',
      databases: 'mariadb' as const,
    }
    const { code, out, err } = await answer(cwd, [], given)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('  1. muster trust ')
    const { config } = configOf(cwd)
    expect(config?.hosts.map(({ name, address }) => `${name} ${address}`)).toEqual([
      'db1 10.0.0.1',
      'db2 10.0.0.2',
      'db3.example.org db3.example.org',
    ])
    const refused = async (given: object) => (await answer(temporaryFolder(), [], given)).code
    expect(await refused({ user: 'ops' })).toMatchObject({ message: '--host is missing.' })
    expect(await refused({ hosts: [' , '] })).toMatchObject({ message: '--host needs a host.' })
    expect(await refused({ hosts: ['db1=10.0.0.1'], cluster: 'A' })).toBeInstanceOf(UsageError)
  })

  it('writes what was typed or refuses it, whatever characters it has', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'yes',
        'NO',
        'null',
        '1e3',
        '0x1',
        '~',
        '!env X',
        '*a',
        '&a',
        '- a',
        'a: b',
        '#',
        "'",
        '"',
        '{}',
        '[a',
        '|',
        '>',
        '%',
        '@',
        '`',
        '? a',
        '<<',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/),
    )
    const { context } = commandContext({ cwd: temporaryFolder() })
    let written = 0
    fc.assert(
      fc.property(word, fc.constantFrom('cluster', 'name', 'address', 'user'), (typed, part) => {
        const answers = { cluster: 'alpha', name: 'db1', address: '10.0.0.1', user: 'ops' }
        answers[part] = typed
        const { cluster, name, address, user } = answers
        const hosts = [{ name, address }]
        const checked = checkStartingFile(context, {
          cluster,
          hosts,
          user,
          become: user !== 'root',
          databases: 'mariadb',
        })
        if (!('text' in checked)) {
          expect(checked.message).not.toBe('')
          return
        }
        written += 1
        const { config } = loadConfig({
          files: [{ name: 'x', directory: '/', text: checked.text }],
          home: '/',
        })
        expect(config).toMatchObject({ cluster, hosts: [{ name, address, ssh: { user } }] })
      }),
      { numRuns: 500 },
    )
    expect(written).toBeGreaterThan(50)
  })
})

describe('muster init --from-inventory', () => {
  const inventory = '[databases]\ndb[1:3]\n[proxies]\npx1\n[web]\nweb1\n'
  const from = async (words: readonly string[], text = inventory) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'hosts.ini'), text)
    const { context, out, err } = commandContext({ cwd })
    const code = await muster({ argv: ['init', '--from-inventory', 'hosts.ini', ...words], context })
    const file = join(cwd, 'muster.yaml')
    return {
      code,
      cwd,
      out: out(),
      err: err(),
      text: existsSync(file) ? readFileSync(file, 'utf8') : undefined,
    }
  }

  it('writes the hosts of an inventory into a file that validates', async () => {
    const { code, cwd, out, text } = await from(['--user', 'ops', '--databases', 'mariadb'])
    expect([code, text]).toEqual([0, expect.stringContaining('members: [db1, db2, db3]')])
    expect(text).toContain('  user: ops\n')
    expect(text).toContain('datasource-type: mariadb\n')
    expect(text?.split('\n')[0]).toBe('# yaml-language-server: $schema=./muster.schema.json')
    expect(out).toContain('  1. muster trust ')
    const { context } = commandContext({ cwd })
    expect(await muster({ argv: ['validate', '--strict'], context })).toBe(0)
  })

  it.each([
    ['by an option', ['--host', 'localhost'], undefined],
    ['by an answer', [], '\nlocalhost\n'],
  ])('writes the quickstart for this machine alone, %s', async (_, argv, typed) => {
    const cwd = temporaryFolder()
    const stdin = Object.assign(Readable.from(typed === undefined ? [] : [typed]), {
      isTTY: typed !== undefined,
    })
    const { context, out } = commandContext({ cwd, stdin })
    expect(await muster({ argv: ['init', ...argv], context })).toBe(0)
    expect(out()).not.toMatch(/trust|Put your hosts/)
    const text = readFileSync(join(cwd, 'muster.yaml'), 'utf8')
    const meaning = (content: string) =>
      loadConfig({ files: [{ name: 'a.yaml', directory: '/q', text: content }], home: '/q' })
    const example = readFileSync('examples/quickstart.yaml', 'utf8')
    expect(meaning(text.replaceAll('alpha', 'quickstart')).config).toEqual(meaning(example).config)
    expect(meaning(text)).toMatchObject({ diagnostics: [] })
  })

  it('reaches localhost over SSH beside other hosts, or with a user', async () => {
    for (const argv of [
      ['--host', 'localhost,db2=10.0.0.12'],
      ['--host', 'localhost', '--user', 'ops'],
    ]) {
      const cwd = temporaryFolder()
      const { context } = commandContext({ cwd })
      expect(await muster({ argv: ['init', ...argv], context })).toBe(0)
      expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).not.toContain('connection: local')
    }
  })

  it('takes the hosts and groups that --limit names', async () => {
    expect((await from(['--limit', 'databases,!db2'])).text).toContain('members: [db1, db3]')
    expect((await from(['--limit', 'web,db1'])).text).toContain('members: [db1]')
    expect((await from(['--limit', '!proxies'])).text).not.toContain('px1')
    expect((await from(['--limit', 'dv1'])).err).toContain("no host or group of the inventory matches 'dv1'")
    expect((await from(['--limit', 'db1,!databases'])).err).toContain('--limit excludes every host')
  })

  it('writes nothing for a file that is no inventory, and says why', async () => {
    const playbook = await from([], '- hosts: db\n')
    expect([playbook.code, playbook.text]).toEqual([3, undefined])
    expect(playbook.err).toContain('hosts.ini: It is a list, such as a playbook, and no inventory.')
    const proxies = await from(['--limit', 'proxies'])
    expect([proxies.code, proxies.text]).toEqual([3, undefined])
    expect(proxies.err).toContain('No host of the inventory can be a member')
    const absent = await from(['--from-inventory', 'absent.yaml'])
    expect([absent.code, absent.text]).toEqual([3, undefined])
    expect(absent.err).toContain('absent.yaml')
  })

  it('refuses options that contradict each other', async () => {
    expect((await from(['--host', 'db1'])).err).toContain('--host cannot be used with --from-inventory')
    const { context, err } = commandContext({ cwd: temporaryFolder() })
    expect(await muster({ argv: ['init', '--limit', 'db1'], context })).toBe(3)
    expect(err()).toContain('--limit needs --from-inventory')
  })
})
