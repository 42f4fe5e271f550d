import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../src/client/call.ts'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import { differenceWords, userDifferences } from '../../../src/deployment/users/differences.ts'
import { type HostUsers, hostUsers, type PasswordVerdict } from '../../../src/deployment/users/hostUsers.ts'
import { judgeUsers } from '../../../src/deployment/users/judgeUsers.ts'
import { userFindingsJson, userFindingsText } from '../../../src/output/deployment/userFindings.ts'
import { usersJson, usersText } from '../../../src/output/deployment/users.ts'
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
    readonly stopped?: boolean
    readonly host?: string
  } = {},
): Promise<{ readonly hosts: HostUsers; readonly requests: readonly CallRequest[] }> {
  const { answers = () => 200, logins = false, stopped = false, host: name = 'db1' } = options
  const target = targetOf({ users: users.map((user) => ({ user, hash })) })
  const finished = finishedFacts(target)
  const running = finished.services.get('manager')
  const services = new Map(finished.services)
  if (stopped && running !== undefined) services.set('connector', { ...running, state: 'stopped' })
  const named = ['admin', 'ops', 'nightly'].map((user) => ({ user, option: `rest-api-users.${user}` }))
  let requests: readonly CallRequest[] = []
  const transport = fakeTransport({
    expect: [
      {
        script: 'muster-api.cjs call',
        result: (_, { stdin }) => {
          requests = JSON.parse(stdin instanceof Secret ? stdin.reveal() : '[]')
          const results = requests.map((request) => {
            const said = answers(request)
            const payload = users.map((user) => ({ user, pass: '**obfuscated**', access: 'full' }))
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
    judge: async (user) => verdicts[user] ?? 'unknown',
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
  it('tells the users of the file first, then the others, and whose password is the known one', async () => {
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

  it('asks each component over its socket, and logs in where it listens with what the file bears out', async () => {
    const looked = await found(['admin', 'ops', 'zoe'])
    expect(looked.requests.map(({ id, target }) => [id, target])).toEqual(
      ['manager', 'connector', 'replicator'].map((name) => [
        name,
        { socket: `/opt/muster/run/${name}.sock` },
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

  it('does not ask what does not run, and says so', async () => {
    const { hosts, requests } = await found(['admin'], { stopped: true, logins: true })
    expect(requests.map(({ id }) => id)).not.toContain('connector')
    expect(hosts.components[1]).toMatchObject({ component: 'connector', detail: 'it does not run' })
  })
})

describe('muster users list', () => {
  it('shows a row for each host and user, where hosts differ, and why one was not seen', async () => {
    const db1 = (await found(['admin', 'ops', 'nightly'], { stopped: true })).hosts
    const db2 = (await found(['admin', 'ops', 'zoe'], { host: 'db2' })).hosts
    expect(text([db1, db2, lost])).toMatchInlineSnapshot(`
      "HOST  USER         IN THE FILE  PASSWORD   MANAGER  CONNECTOR  REPLICATOR
      db1   admin        yes          as known   yes      silent     yes
      db1   ops          yes          another    yes      silent     yes
      db1   nightly      yes          not known  yes      silent     yes
      db2   admin        yes          as known   yes      yes        yes
      db2   ops          yes          another    yes      yes        yes
      db2   nightly      yes          missing    no       no         no
      db2   zoe          no           not known  yes      yes        yes
      db3   unreachable

      ops: another password on db1 and db2 than the known one
      nightly: missing on db2
      zoe: on db2, where the file does not name it

      db1: connector: it does not run
      db3: nothing answers at 10.0.0.13:22
      "
    `)
    expect(text([db1, db2, lost], 60).split('\n').slice(-5).join('\n')).toMatchInlineSnapshot(`
      "zoe: on db2, where the file does not name it

      db1: connector: it does not run
      db3: nothing answers at 10.0.0.13:22
      "
    `)
  })

  it('shows what components of an older user file would say, and nothing of a hash', async () => {
    const { hosts } = await found(['admin'])
    const strange = {
      ...hosts,
      components: hosts.components.map((one, index) => (index === 0 ? { ...one, names: [] } : one)),
    }
    expect(text([strange])).toContain('as known  no       yes        yes')
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

describe('userDifferences', () => {
  it('sees hosts that have different hashes of a password that nobody here knows', () => {
    const one = (host: string, of: string): HostUsers => ({
      host,
      state: 'up',
      users: [{ user: 'legacy', named: true, present: true, password: 'unknown', hash: of }],
      components: [],
    })
    expect(userDifferences([one('db1', hash), one('db2', hash)])).toEqual([])
    expect(differenceWords(userDifferences([one('db1', hash), one('db2', `${hash}x`)]))).toEqual([
      'legacy: the password is not known here, and may differ between hosts',
    ])
  })
})

describe('muster users verify', () => {
  it('tells what, why and fix of each finding, what could not be tried, and what was proved', async () => {
    const users = ['admin', 'ops', 'zoe']
    const answers = ({ id }: CallRequest) => (id === 'connector admin' ? 401 : 200)
    const { hosts } = await found(users, { logins: true, answers })
    const silent = await found(['admin', 'ops', 'nightly'], {
      logins: true,
      host: 'db2',
      answers: ({ id }) => (id.startsWith('manager') ? 'nothing listens there' : 200),
    })
    const all = [hosts, silent.hosts, lost]
    const findings = judgeUsers(all)
    const shown = { cluster: 'alpha', hosts: all, findings }
    expect(userFindingsText({ ...shown, width: 100, colour: false })).toMatchInlineSnapshot(`
      "error db1: the user ops has another password there than the known one [user-password-differs]
        why: It was changed past muster, or a run did not come to its end. It was not tried: five wrong
             logins lock a user out.
        fix: Run \`muster users apply --host db1\`. It gives the host the password of the file, or the one
             that is kept.

      error db1: the user nightly is not there [user-missing]
        why: Whoever logs in as this user elsewhere is refused here.
        fix: Run \`muster users apply --host db1\`.

      error db1: the user zoe is there, and the file does not name it [user-extra]
        why: Whoever has its password can do everything that an administrator can.
        fix: Name it in rest-api-users, or run \`muster users apply --prune --host db1\`.

      error db1: the connector at 127.0.0.1:8096 did not let admin in: answered 401 [login-refused]
        why: The user file has this password; the API cannot be used all the same.
        fix: See \`muster logs --host db1\`; a certificate is judged by \`muster cert check --host db1\`.

      error db2: the user ops has another password there than the known one [user-password-differs]
        why: It was changed past muster, or a run did not come to its end. It was not tried: five wrong
             logins lock a user out.
        fix: Run \`muster users apply --host db2\`. It gives the host the password of the file, or the one
             that is kept.

      error db2: the manager could not be asked: nothing listens there [component-silent]
        why: Nobody can log in to it now.
        fix: See \`muster status\` and \`muster logs --host db2\`.

      error db3: nothing answers at 10.0.0.13:22 [host-unreachable]
        why: Its users could not be looked at; what is said here is of the other hosts.
        fix: See \`muster check --host db3\`, then verify again.

      note: nobody could log in as nightly on db2: the password is not known here. Give it in
        rest-api-users, or make one with \`muster users apply --generate\`.

      7 findings on db1, db2 and db3; 4 logins proved on 6 APIs: admin.
      "
    `)
    expect(JSON.parse(userFindingsJson(shown))).toMatchObject({
      cluster: 'alpha',
      findings: findings.map(({ host, code }) => ({ host, code })),
      untried: [{ user: 'nightly', hosts: ['db2'] }],
    })
    const narrow = userFindingsText({ ...shown, width: 50, colour: false }).split('\n')
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(70)
  })

  it('says in one line that all is well', async () => {
    const { hosts } = await found(['admin', 'nightly'], { logins: true })
    const good = { ...hosts, users: hosts.users.filter(({ user }) => user === 'admin') }
    expect(judgeUsers([good])).toEqual([])
    const shown = { cluster: 'alpha', hosts: [good], findings: [] }
    expect(userFindingsText({ ...shown, width: 100, colour: false })).toBe(
      'The users of alpha are as the file says: 3 logins proved on 3 APIs: admin.\n',
    )
  })
})
