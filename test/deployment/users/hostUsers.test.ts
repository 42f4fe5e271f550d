import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../src/client/call.ts'
import type { AccessLevel } from '../../../src/contracts/accessLevels.ts'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import { checkUsers } from '../../../src/deployment/users/checkUsers.ts'
import {
  describeDifferences,
  type HostUsers,
  hostUsers,
  type PasswordVerdict,
  userDifferences,
} from '../../../src/deployment/users/hostUsers.ts'
import type { Span } from '../../../src/diagnostics/diagnostic.ts'
import { loginSummary, loginsOf, usersJson, usersText } from '../../../src/output/deployment/usersText.ts'
import { diagnosticsText } from '../../../src/output/diagnostics/text.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, hash, targetOf } from '../steps/target.ts'

const verdicts: Readonly<Record<string, PasswordVerdict>> = { admin: 'known', ops: 'another', zoe: 'unknown' }

/** What is found on a host with these users in its file, whose APIs answer each call with this status. */
async function found(
  users: readonly string[],
  options: {
    readonly logins?: boolean
    readonly answers?: (request: CallRequest) => number | string
    /** What a component says, where that is not what the user file has. */
    readonly says?: Readonly<Record<string, readonly string[]>>
    readonly stopped?: boolean
    readonly host?: string
    /** Levels that the host has; `full` unless told. */
    readonly levels?: Readonly<Record<string, AccessLevel>>
  } = {},
): Promise<{ readonly hosts: HostUsers; readonly requests: readonly CallRequest[] }> {
  const { answers = () => 200, says = {}, logins = false, stopped = false, host: name = 'db1' } = options
  const target = targetOf({
    users: users.map((user) => ({ user, hash, access: options.levels?.[user] ?? 'full' })),
  })
  const finished = finishedFacts(target)
  const running = finished.services.get('manager')
  const services = new Map(finished.services)
  if (stopped && running !== undefined) services.set('connector', { ...running, state: 'stopped' })
  const named = ['admin', 'ops', 'nightly'].map(
    (user) => ({ user, option: `rest-api-users.${user}`, access: 'full' }) as const,
  )
  let requests: readonly CallRequest[] = []
  const transport = fakeTransport({
    expect: [
      {
        script: 'muster-api.cjs call',
        result: (_, { stdin }) => {
          requests = JSON.parse(stdin instanceof Secret ? stdin.reveal() : '[]')
          const results = requests.map((request) => {
            const said = answers(request)
            const payload = (says[request.id] ?? users).map((user) => ({
              user,
              pass: '**obfuscated**',
              access: 'full',
            }))
            const body = { payloadType: 'CredentialsListPayload', payloadVersion: '1', payload }
            return typeof said === 'number'
              ? { id: request.id, status: said, body }
              : { id: request.id, error: { code: 'refused', message: said } }
          })
          return { stdout: JSON.stringify(results) }
        },
      },
    ],
  })
  const hosts = await hostUsers({
    surveyed: {
      host: hostConfig({ name, users: named }),
      facts: { ...finished, services },
      transport,
      seconds: { connect: 0, facts: 0 },
    },
    cluster: 'alpha',
    state: emptyState,
    compare: async (user) => verdicts[user] ?? 'unknown',
    known: new Map(['admin', 'ops'].map((user) => [user, new Secret(`of ${user}`)])),
    logins,
  })
  return { hosts, requests }
}

const lost: HostUsers = {
  host: 'db3',
  state: 'unreachable',
  detail: 'nothing answers at 10.0.0.13:22',
  users: [],
  components: [],
}
const text = (hosts: readonly HostUsers[], width = 120): string => usersText({ hosts, colour: false, width })

describe('hostUsers', () => {
  it('lists the users of the file first and whose password is known', async () => {
    const { hosts } = await found(['zoe', 'ops', 'admin'])
    expect(hosts.users.map(({ user, named, present, password }) => [user, named, present, password])).toEqual(
      [
        ['admin', true, true, 'known'],
        ['ops', true, true, 'another'],
        ['nightly', true, false, undefined],
        ['zoe', false, true, 'unknown'],
      ],
    )
  })

  it('asks each component over its socket and logs in with matching passwords', async () => {
    const looked = await found(['admin', 'ops', 'zoe'])
    expect(looked.requests.map(({ id, target }) => [id, target])).toEqual(
      ['manager', 'connector', 'replicator'].map((name) => [
        name,
        { socket: `/run/muster-alpha/${name}/api.sock` },
      ]),
    )
    const { requests } = await found(['admin', 'ops', 'zoe'], { logins: true })
    const logins = requests.filter(({ credentials }) => credentials !== undefined)
    // A wrong password would count towards locking the user out.
    expect(logins.map(({ credentials, target }) => [credentials, target])).toEqual(
      [8090, 8096, 8097].map((port) => [
        { user: 'admin', password: 'of admin' },
        { address: '127.0.0.1', port, authorities: ['the chain'] },
      ]),
    )
  })

  it('reports components that do not run without calling them', async () => {
    const { hosts, requests } = await found(['admin'], { stopped: true, logins: true })
    expect(requests.map(({ id }) => id)).not.toContain('connector')
    expect(hosts.components[1]).toMatchObject({ component: 'connector', detail: 'it does not run' })
  })
})

describe('muster users list', () => {
  it('shows a row per host and user, differences, and why a host is missing', async () => {
    const db1 = (await found(['admin', 'ops', 'nightly'], { stopped: true })).hosts
    const db2 = (await found(['admin', 'ops', 'zoe'], { host: 'db2' })).hosts
    expect(text([db1, db2, lost])).toMatchInlineSnapshot(`
      "HOST  USER         FILE  ACCESS  PASSWORD   MANAGER  CONNECTOR  REPLICATOR
      db1   admin        yes   full    matches    yes      silent     yes
      db1   ops          yes   full    different  yes      silent     yes
      db1   nightly      yes   full    unknown    yes      silent     yes
      db2   admin        yes   full    matches    yes      yes        yes
      db2   ops          yes   full    different  yes      yes        yes
      db2   nightly      yes   -       missing    no       no         no
      db2   zoe          no    full    unknown    yes      yes        yes
      db3   unreachable

      ops: a different password on db1 and db2
      nightly: missing on db2
      zoe: on db2, where the file does not name it

      db1: connector: it does not run
      db3: nothing answers at 10.0.0.13:22
      "
    `)
    const nobody: HostUsers = { ...lost, host: 'db4', state: 'up', detail: 'no user file' }
    expect(text([db1, db2, lost], 78)).toContain('HOST  USER')
    expect(text([db1, db2, lost, nobody], 60)).toMatchInlineSnapshot(`
      "db1
        USER: admin  FILE: yes  ACCESS: full  PASSWORD: matches
          MANAGER: yes  CONNECTOR: silent  REPLICATOR: yes
        USER: ops  FILE: yes  ACCESS: full  PASSWORD: different
          MANAGER: yes  CONNECTOR: silent  REPLICATOR: yes
        USER: nightly  FILE: yes  ACCESS: full  PASSWORD: unknown
          MANAGER: yes  CONNECTOR: silent  REPLICATOR: yes
      db2
        USER: admin  FILE: yes  ACCESS: full  PASSWORD: matches
          MANAGER: yes  CONNECTOR: yes  REPLICATOR: yes
        USER: ops  FILE: yes  ACCESS: full  PASSWORD: different
          MANAGER: yes  CONNECTOR: yes  REPLICATOR: yes
        USER: nightly  FILE: yes  ACCESS: -  PASSWORD: missing
          MANAGER: no  CONNECTOR: no  REPLICATOR: no
        USER: zoe  FILE: no  ACCESS: full  PASSWORD: unknown
          MANAGER: yes  CONNECTOR: yes  REPLICATOR: yes
      db3: unreachable
      db4: no users

      ops: a different password on db1 and db2
      nightly: missing on db2
      zoe: on db2, where the file does not name it

      db1: connector: it does not run
      db3: nothing answers at 10.0.0.13:22
      db4: no user file
      "
    `)
    const behind = {
      ...db2,
      components: db2.components.map((one) => ({ ...one, names: ['admin', 'nightly'] })),
    }
    expect(text([behind], 40)).toMatchInlineSnapshot(`
      "db2
        USER: admin  FILE: yes  ACCESS: full
          PASSWORD: matches  MANAGER: yes
          CONNECTOR: yes  REPLICATOR: yes
        USER: ops  FILE: yes  ACCESS: full
          PASSWORD: different  MANAGER: no
          CONNECTOR: no  REPLICATOR: no
        USER: nightly  FILE: yes  ACCESS: -
          PASSWORD: missing  MANAGER: yes
          CONNECTOR: yes  REPLICATOR: yes
        USER: zoe  FILE: no  ACCESS: full
          PASSWORD: unknown  MANAGER: no
          CONNECTOR: no  REPLICATOR: no

      ops: a different password on db2
      nightly: missing on db2
      zoe: on db2, where the file does not
        name it
      "
    `)
    const small = text([db1, db2, lost], 40)
    expect(Math.max(...small.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
    const coloured = usersText({ hosts: [db1, db2, lost], colour: true, width: 40 })
    expect(coloured).not.toBe(small)
    expect(stripVTControlCharacters(coloured)).toBe(small)
  })

  it('shows components with an older user file, and never a hash', async () => {
    const { hosts } = await found(['admin'])
    const strange = {
      ...hosts,
      components: hosts.components.map((one, index) => (index === 0 ? { ...one, names: [] } : one)),
    }
    expect(text([strange])).toContain('matches   no       yes        yes')
    const json = usersJson('alpha', [strange, lost])
    expect(json).not.toContain('scrypt')
    expect(JSON.parse(json)).toMatchObject({
      cluster: 'alpha',
      hosts: [
        { host: 'db1', users: [{ user: 'admin', named: true, present: true, password: 'known' }, {}, {}] },
        { host: 'db3', state: 'unreachable' },
      ],
      differences: [
        { user: 'ops', missing: ['db1'] },
        { user: 'nightly', missing: ['db1'] },
      ],
    })
  })
})

describe('the level of a user on a host', () => {
  const differing = () => found(['admin', 'ops', 'zoe'], { levels: { admin: 'operate', zoe: 'read' } })

  it('is shown with the one in the file where they differ, in words, too', async () => {
    const { hosts } = await differing()
    const shown = text([hosts])
    expect(shown).toMatch(/^db1 +admin +yes +operate, not full +matches/m)
    expect(shown).toMatch(/^db1 +zoe +no +read +unknown/m)
    expect(shown).toContain('admin: the access level operate instead of full on db1\n')
    expect(text([hosts], 40)).toContain('ACCESS: operate, not full')
    const json = JSON.parse(usersJson('alpha', [hosts]))
    expect(json.hosts[0].users).toMatchObject([
      { user: 'admin', access: 'operate', wantedAccess: 'full' },
      { user: 'ops', access: 'full', wantedAccess: 'full' },
      { user: 'nightly', present: false, wantedAccess: 'full' },
      { user: 'zoe', access: 'read' },
    ])
    expect(json.differences[0]).toMatchObject({
      user: 'admin',
      access: [{ is: 'operate', wanted: 'full', hosts: ['db1'] }],
    })
  })

  it('is a finding of users verify only where it differs', async () => {
    const { hosts } = await differing()
    const at = (): Span => ({ file: 'alpha.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 })
    const codes = (one: HostUsers) =>
      checkUsers([one], at).flatMap(({ code, message }) => (code === 'user-access-differs' ? [message] : []))
    expect(codes(hosts)).toEqual([
      'The user admin has the access level operate on db1; the file gives it full.',
    ])
    expect(codes((await found(['admin', 'ops', 'zoe'])).hosts)).toEqual([])
  })
})

describe('userDifferences', () => {
  it('reports different hashes of an unknown password', () => {
    const one = (host: string, of: string): HostUsers => ({
      host,
      state: 'up',
      users: [{ user: 'legacy', named: true, present: true, password: 'unknown', hash: of }],
      components: [],
    })
    expect(userDifferences([one('db1', hash), one('db2', hash)])).toEqual([])
    expect(describeDifferences(userDifferences([one('db1', hash), one('db2', `${hash}x`)]))).toEqual([
      'legacy: the password hashes of the hosts differ, so the passwords may differ',
    ])
  })
})

describe('muster users verify', () => {
  /** Passwords stand at line 40. */
  const at = (host: string, user?: string): Span => ({
    file: 'alpha.yaml',
    line: user === undefined ? Number(host.slice(2)) + 1 : 40,
    column: 3,
    endLine: 9,
    endColumn: 9,
  })
  const told = (hosts: readonly HostUsers[]): string =>
    diagnosticsText({ diagnostics: checkUsers(hosts, at), sources: [], colour: false, width: 100 })

  it('reports each finding with reason and fix, and untested logins', async () => {
    const users = ['admin', 'ops', 'zoe']
    const answers = ({ id }: CallRequest) => (id === 'connector admin' ? 401 : 200)
    const says = { replicator: ['admin', 'zoe', 'yesterday'] }
    const { hosts } = await found(users, { logins: true, answers, says })
    const silent = await found(['admin', 'ops', 'nightly'], {
      logins: true,
      host: 'db2',
      answers: ({ id }) => (id.startsWith('manager') ? 'nothing listens there' : 200),
      says: { connector: ['admin', 'ops', 'nightly', 'mallory'] },
    })
    const others = (['failed', 'not-installed'] as const).map((state, index) => ({
      ...lost,
      host: `db${index + 4}`,
      state,
      detail: 'it is another machine than before',
    }))
    const all = [hosts, silent.hosts, lost, ...others]
    expect(told(all)).toMatchInlineSnapshot(`
      "alpha.yaml:40:3 error user-password-differs
        The user ops has a different password on db1.
        why: It was changed without muster, or a run did not reach the host. muster does not try to log
             in: five failed logins lock a user out.
        fix: Run muster users apply --host db1 to set the known password.

      alpha.yaml:2:3 error user-missing
        The user nightly is missing on db1.
        why: Logins as this user fail there.
        fix: Run muster users apply --host db1; it restarts nothing.

      alpha.yaml:2:3 error user-extra
        The user zoe is on db1 but not in the file.
        why: Anyone with its password has the rights of its access level.
        fix: Add it to rest-api-users, or remove it: muster users apply --prune --host db1

      alpha.yaml:2:3 error user-login-refused
        The connector of db1 at 127.0.0.1:8096 rejected the login of admin: answered 401
        why: The password matches its user file, but clients that use it are rejected.
        fix: Run muster logs --host db1, and muster cert check --host db1 to check its certificate.

      alpha.yaml:2:3 error user-component-differs
        The replicator of db1 differs from its user file: it lacks ops and also has yesterday.
        why: All components of a host share one user file and load changes at once; this one did not.
        fix: Run muster logs --host db1 to see why; muster restart --host db1 --component replicator loads
             it again.

      alpha.yaml:40:3 error user-password-differs
        The user ops has a different password on db2.
        why: It was changed without muster, or a run did not reach the host. muster does not try to log
             in: five failed logins lock a user out.
        fix: Run muster users apply --host db2 to set the known password.

      alpha.yaml:3:3 error user-component-silent
        The manager of db2 did not list its users: nothing listens there
        why: The users that it accepts are unknown.
        fix: Run muster status and muster logs --host db2.

      alpha.yaml:3:3 error user-component-differs
        The connector of db2 differs from its user file: it also has mallory.
        why: All components of a host share one user file and load changes at once; this one did not.
        fix: Run muster logs --host db2 to see why; muster restart --host db2 --component connector loads
             it again.

      alpha.yaml:4:3 error user-host-unreachable
        db3 is unreachable: nothing answers at 10.0.0.13:22
        why: The users of this host are unknown.
        fix: Run muster check --host db3; if the host is down on purpose, exclude it with --host.

      alpha.yaml:5:3 error user-host-failed
        db4 could not be checked: it is another machine than before
        why: The users of this host are unknown.
        fix: Run muster check --host db4.

      alpha.yaml:6:3 warning user-not-installed
        db5 is in the file, but nothing is installed there.
        why: It has no users yet, so there is nothing to check.
        fix: Run muster install --host db5, or exclude the host with --host.

      alpha.yaml:40:3 note user-untried
        Skipped the login as nightly on db2: the password is unknown.
        why: Only a login verifies a password, and failed logins lock a user out.
        fix: Set its password in the file, or generate one: muster users apply --generate

      10 errors, 1 warning and 1 note. More about each: muster explain CODE
      "
    `)
    expect(
      checkUsers(all, at)
        .map(({ host }) => host ?? '-')
        .join(' '),
    ).toMatchInlineSnapshot(`"db1 db1 db1 db1 db1 db2 db2 db2 db3 db4 db5 -"`)
    const is = { cluster: 'alpha', hosts: all, silenced: 0, width: 100 }
    expect(loginSummary({ ...is, good: false })).toBe('4 logins verified on 4 APIs: admin.')
    expect(loginSummary({ ...is, hosts: [], good: false })).toBe('No login could be verified.')
    expect(loginsOf(all).filter((login) => !login.in)).toEqual([
      { host: 'db1', component: 'connector', user: 'admin', in: false },
      { host: 'db2', component: 'manager', user: 'admin', in: false },
    ])
  })

  it('reports whether an unknown password may differ between hosts', () => {
    const one = (host: string, of: string): HostUsers => ({
      host,
      state: 'up',
      users: [{ user: 'legacy', named: true, present: true, password: 'unknown', hash: of }],
      components: [],
    })
    const words = (...hashes: readonly string[]): readonly string[] =>
      checkUsers(
        hashes.map((of, index) => one(`db${index + 1}`, of)),
        at,
      ).map(({ severity, message }) => `${severity} ${message}`)
    expect(words(hash, hash)).toEqual([
      'note Skipped the login as legacy on db1 and db2: the password is unknown.',
    ])
    expect(words(hash, `${hash}x`)).toEqual([
      'note Skipped the login as legacy on db1 and db2: the password is unknown and may differ between these hosts.',
    ])
  })

  it('reports once a replaced password that is still in the file', () => {
    const one = (host: string): HostUsers => ({
      host,
      state: 'up',
      users: [{ user: 'ops', named: true, present: true, password: 'known', replaced: '2026-03-10' }],
      components: [],
    })
    expect(
      checkUsers([one('db1'), one('db2')], at).map(({ code, message }) => `${code}: ${message}`),
    ).toEqual([
      'user-password-replaced: The file still has the password of ops that was replaced on 2026-03-10.',
    ])
    expect(describeDifferences(userDifferences([one('db1')]))).toEqual([
      'ops: the file still has the replaced password',
    ])
  })

  it('reports nothing for valid users and summarizes the verification', async () => {
    const { hosts } = await found(['admin', 'nightly'], { logins: true })
    const good = { ...hosts, users: hosts.users.filter(({ user }) => user === 'admin'), components: [] }
    expect(checkUsers([good], at)).toEqual([])
    const shown = { cluster: 'alpha', hosts: [hosts], good: true, width: 100 }
    expect(loginSummary({ ...shown, silenced: 0 })).toBe(
      'The users of alpha match the file: 3 logins verified on 3 APIs: admin.',
    )
    expect(loginSummary({ ...shown, silenced: 1, width: 40 })).toBe(
      'The users of alpha match the file: 3\nlogins verified on 3 APIs: admin (1\nsilenced).',
    )
  })
})
