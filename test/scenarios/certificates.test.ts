import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStore } from '../../src/certificates/stores/readStore.ts'
import { trustedAuthorities } from '../../src/deployment/state/clusterState.ts'
import { readState } from '../../src/deployment/state/openState.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { outsideAuthority, outsideChain } from '../certificates/outside.ts'
import { type Door, type LoadOptions, shownSerial, trusted, underLoad } from './support/loginLoad.ts'
import { runProgram } from './support/program.ts'
import { replaceFile } from './support/replaceFile.ts'
import { filesBelow, pathsBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** Certificates of two hosts that are replaced while clients log in; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('the certificates of a cluster (needs Linux)', () => {
  let world: World
  const doors = (): readonly Door[] => [
    { host: world.host('db1'), component: 'manager' },
    { host: world.host('db1'), component: 'replicator' },
    { host: world.host('db2'), component: 'connector' },
  ]
  const state = (name: string): string => join(world.operator.directory, '.muster/alpha', name)
  const password = (): string => JSON.parse(readFileSync(state('secrets.json'), 'utf8')).users.admin.password
  const serials = (): Promise<readonly string[]> =>
    Promise.all(doors().map((door) => shownSerial(door, trusted(world.operator))))
  /** The authorities that tapi trusts, as its record of the cluster says. */
  const known = (): readonly string[] => {
    const folder = join(world.operator.env.XDG_CONFIG_HOME ?? '', 'muster/clusters')
    return readdirSync(folder).flatMap(
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).authorities,
    )
  }
  const pids = () => world.hosts.map((host) => host.pids())
  const cert = (operation: string, argv: readonly string[] = []) =>
    world.operator.muster(['cert', operation, '--yes', ...argv, 'alpha.yaml'])

  /** Logins all the while: every one was let in. */
  const loaded = <Result>(
    work: () => Promise<Result>,
    options: Pick<LoadOptions, 'trusts'> = {},
  ): Promise<Result> =>
    underLoad({ operator: world.operator, doors: doors(), password: password(), ...options }, work)

  beforeAll(async () => {
    world = await createWorld(2)
    world.describe({ connectors: ['db2'] })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  it('are renewed without a restart and without refused logins', async () => {
    const [before, running] = [await serials(), pids()]
    const outcome = await loaded(() => cert('renew'))
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    const after = await serials()
    expect(pids()).toEqual(running)
    expect(new Set([...before, ...after]).size).toBe(4)
    expect(outcome.stdout).toContain(
      'issue certificates for db1 and db2: each present one is to be renewed\n',
    )
    const listed = (await world.operator.muster(['cert', 'list', 'alpha.yaml'])).stdout
    for (const name of ['db1', 'db2']) {
      const [, print] = new RegExp(`^${name}\\b[^]*?((?:[0-9A-F]{2}:){7}[0-9A-F]{2})`, 'm').exec(listed) ?? []
      expect(outcome.stdout).toMatch(
        new RegExp(`^${name} {2}done: 1 change, certificate SHA-256 ${print}… is shown, logins `, 'm'),
      )
    }
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    for (const { name, directory } of world.hosts) {
      expect(readFileSync(join(directory, 'share/tls/chain.pem'))).toEqual(
        readFileSync(state(`hosts/${name}/chain.pem`)),
      )
      expect(existsSync(join(directory, '.before'))).toBe(false)
    }
    expect((await world.muster('audit')).stdout).toMatch(/ cert renew .* 0 +2 changed\n/)
  })

  it('are renewed only on the selected hosts', async () => {
    const before = await serials()
    const outcome = await cert('renew', ['--host', 'db2', '--json'])
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    for (const line of outcome.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type')
    const after = await serials()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).not.toBe(before[2])
  })

  it('stay the same while all hosts and tapi start to trust a new authority, and install keeps both', async () => {
    const [before, old] = [await serials(), trusted(world.operator)]
    const outcome = await cert('rotate-authority', ['--trust-only'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain(
      `\nEvery host trusts both authorities. ${state('authority.crt')} contains both: `,
    )
    expect(trusted(world.operator).startsWith(old)).toBe(true)
    expect(known()).toEqual(trusted(world.operator).split(/(?<=END CERTIFICATE-----\n)/))
    expect(await serials()).toEqual(before)
    expect((await world.muster('install')).stdout).toContain('alpha: nothing to do on 2 hosts.\n')
    expect(known()).toHaveLength(2)
  })

  it('are replaced by those of a new authority host by host, without refused logins', async () => {
    const [before, running, both] = [await serials(), pids(), trusted(world.operator)]
    const [old = '', next = ''] = both.split(/(?<=END CERTIFICATE-----\n)/)
    const outcome = await loaded(() => cert('rotate-authority'))
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    const after = await serials()
    expect(pids()).toEqual(running)
    expect(after.filter((serial) => before.includes(serial))).toEqual([])
    expect([trusted(world.operator), known()]).toEqual([next, [next]])
    for (const door of doors()) await expect(shownSerial(door, old)).rejects.toThrow()
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    expect((await world.muster('audit')).stdout).toMatch(/ cert rotate-authority .* 0 +2 changed\n/)
    const phases = [...outcome.stdout.matchAll(/^ {2}\* (?!then )(phase .*|issue .*|\d waves .*)$/gm)].map(
      ([, said]) => said,
    )
    expect(phases).toMatchInlineSnapshot(`
      [
        "phase 2 of 3: hosts get certificates of the new authority, one by one; both are trusted",
        "2 waves of at most 1 host; a failure stops the run before the next wave",
        "issue certificates for db1 and db2: each present one is of the old authority",
        "phase 3 of 3: hosts stop trusting the old authority",
      ]
    `)
  })

  /** The authorities in the truststore of a host, as Java would trust them. */
  function javaTrusts({ directory }: Host): readonly string[] {
    const bytes = readFileSync(join(directory, 'share/tls/truststore.p12'))
    const secrets = JSON.parse(readFileSync(join(directory, 'share/secrets.json'), 'utf8'))
    const read = readStore(bytes, new Secret(secrets['java-truststore-password']))
    return read.ok ? read.store.trusted.map(({ certificate }) => certificate) : []
  }

  /** Whom `cert export` lets clients trust. */
  async function exported(): Promise<string> {
    const opened = await readState({ directory: world.operator.directory, cluster: 'alpha' })
    return opened === undefined ? '' : trustedAuthorities(opened.state).join('')
  }

  /**
   * Kills the command as soon as it tells of the begin or end of a step, or of the begin of a proof, that no run
   * before it has told of; each goes on where the last was killed, until one comes to its end. After each, every
   * API is trusted by who has the state's file or a host's truststore. Returns what it was killed at.
   */
  async function killAtEachPoint(
    operation: string,
    options: {
      readonly argv?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      /** Looks at what each of them left. */
      readonly look?: () => void
    } = {},
  ): Promise<readonly string[]> {
    const points: string[] = []
    /** What is told so far, each with the phase of the rotation that it is told in. */
    const told = (stdout: string): readonly string[] => {
      let phase = operation
      return stdout.split('\n').flatMap((line) => {
        phase = /"(phase \d) of \d:/.exec(line)?.[1] ?? phase
        const [, what] =
          /"type":"(step-\w+","host":"db\d","step":"\w+|phase-started","host":"db\d","phase":"verify)"/.exec(
            line,
          ) ?? []
        return what === undefined ? [] : [`${phase}: ${what.replace(/","\w+":"/g, ' ')}`]
      })
    }
    for (;;) {
      const ended = await runProgram({
        program: 'muster',
        argv: ['cert', operation, '--yes', '--json', ...(options.argv ?? []), 'alpha.yaml'],
        cwd: world.operator.directory,
        env: { ...world.operator.env, ...options.env },
        kill: (stdout) => (told(stdout).some((point) => !points.includes(point)) ? 'SIGKILL' : undefined),
      })
      const point = told(ended.stdout).find((one) => !points.includes(one))
      const trusting = [await exported(), ...world.hosts.map((host) => javaTrusts(host).join(''))]
      for (const ca of trusting) for (const door of doors()) await shownSerial(door, ca)
      options.look?.()
      if (ended.signal === null) {
        expect(ended.code, ended.stderr).toBe(0)
        return points
      }
      points.push(point ?? 'nothing')
    }
  }

  /** Nothing is left to do, and nothing of the runs that were killed is left. */
  async function expectConvergence(): Promise<void> {
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    const left = [state(''), ...world.hosts.map(({ directory }) => directory)].flatMap(pathsBelow)
    expect(left.filter((path) => /\.new|\.muster-|\.before|\.back|\.stag|\/lock$/.test(path))).toEqual([])
    for (const host of world.hosts) expect(javaTrusts(host).join('')).toBe(trusted(world.operator))
    for (const { name, directory } of world.hosts) {
      expect(readFileSync(join(directory, 'share/tls/chain.pem'))).toEqual(
        readFileSync(state(`hosts/${name}/chain.pem`)),
      )
    }
  }

  /** A proof that fails, since its user was renamed once the plan was told, leaves db1 its outside certificate. */
  async function expectKeptWithoutProof(chain: string): Promise<void> {
    const { directory } = world.host('db1')
    const users = join(directory, 'data/users.json')
    const text = readFileSync(users, 'utf8')
    const watch = (said: string): void => {
      if (said.includes('issue a certificate for db1')) {
        replaceFile(users, text.replace('"admin"', '"another"'))
      }
    }
    const argv = ['cert', 'renew', '--yes', '--own-authority', '--host', 'db1', 'alpha.yaml']
    const failed = await world.operator.muster(argv, { watch })
    replaceFile(users, text)
    expect(failed.stderr).toContain('answered 401 instead of accepting the login of admin')
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain(
      '\ndb1 has no verified new certificate: the state directory keeps its certificate of the external authority. Run the same command again to continue.\n',
    )
    for (const file of [state('hosts/db1/chain.pem'), join(directory, 'share/tls/chain.pem')]) {
      expect(readFileSync(file, 'utf8')).toBe(chain)
    }
    expect(existsSync(state('hosts/db1/outside.pem'))).toBe(true)
  }

  it('return from an external authority after a run that was killed at any point', async () => {
    const corp = await outsideAuthority('corp', new Date())
    const key = new Secret(readFileSync(state('hosts/db1/key.pem'), 'utf8'))
    const { address } = world.host('db1')
    const chain = outsideChain({ by: corp, key, name: 'db1', address, now: new Date() })
    world.operator.write('chain.pem', chain)
    const argv = ['cert', 'import', '--host', 'db1', '--from', 'chain.pem', 'alpha.yaml']
    expect((await world.operator.muster(argv)).code).toBe(0)
    expect((await world.muster('install')).code).toBe(0)
    const own = trusted(world.operator)
    const trusts = (): string => own + corp.certificate
    expect(known()).toEqual([own, corp.certificate])
    for (const host of world.hosts) expect(javaTrusts(host)).toEqual([own, corp.certificate])
    await expect(shownSerial({ host: world.host('db1'), component: 'manager' }, own)).rejects.toThrow()
    const left = await cert('renew', ['--host', 'db1'])
    expect(left.stdout).toContain('or replace it with --own-authority')
    expect(left.stdout).toContain('alpha: nothing to do on db1.\n')
    await expectKeptWithoutProof(chain)
    const running = pids()
    const points = await loaded(() => killAtEachPoint('renew', { argv: ['--own-authority'] }), { trusts })
    for (const phase of ['phase 1', 'phase 2']) {
      const killed = points.filter((point) => point.startsWith(phase))
      expect(killed.length, points.join('; ')).toBeGreaterThanOrEqual(1)
    }
    expect(pids()).toEqual(running)
    for (const door of doors()) await shownSerial(door, own)
    expect([known(), await exported()]).toEqual([[own], own])
    expect(existsSync(state('hosts/db1/outside.pem'))).toBe(false)
    const nothing = await cert('renew', ['--own-authority'])
    expect(nothing.stdout).toContain(
      'alpha: nothing to do on 2 hosts.\n  * no selected host has a certificate of an external authority\n',
    )
    await expectConvergence()
  })

  it('are renewed by the next run after one that was killed at any point', async () => {
    const [before, running] = [await serials(), pids()]
    const points = await loaded(() => killAtEachPoint('renew'))
    expect([...points].sort()).toEqual(['db1', 'db2'].flatMap((host) => pointsOf(`renew`, host)).sort())
    expect(pids()).toEqual(running)
    expect((await serials()).filter((serial) => before.includes(serial))).toEqual([])
    await expectConvergence()
  })

  /** No file of the state, nor one that was on its way there, holds a key of an authority that anybody could use. */
  function expectProtection(): void {
    const bare = filesBelow(state('')).filter((path) => readFileSync(path).includes('BEGIN PRIVATE KEY'))
    expect(bare.filter((path) => !path.includes('/hosts/'))).toEqual([])
    expect(readFileSync(state('authority.key'), 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY')
  }

  it('are replaced by those of a new authority after a rotation that was killed at any point, with a protected key', async () => {
    const env = { MUSTER_AUTHORITY_PASSPHRASE: 'five random words' }
    const protection = await runProgram({
      program: 'muster',
      argv: ['cert', 'protect-authority', 'alpha.yaml'],
      cwd: world.operator.directory,
      env: { ...world.operator.env, ...env },
    })
    expect(protection, protection.stderr).toMatchObject({ code: 0 })
    const kept = snapshot(state(''))
    const missing = await cert('rotate-authority')
    expect(missing).toMatchObject({ code: 3, stdout: '' })
    expect(missing.stderr).toContain("There is no terminal to ask for the passphrase of the authority's key.")
    world.operator.write('slip', 'five random word')
    const slip = await cert('rotate-authority', ['--authority-passphrase-file', 'slip'])
    expect(slip).toMatchObject({ code: 1, stdout: '' })
    expect(slip.stderr).toContain("wrong passphrase for the authority's key [authority-passphrase]")
    expect(snapshot(state(''))).toEqual(kept)
    const [old, running] = [trusted(world.operator), pids()]
    const phases = ['phase 1', 'phase 2', 'phase 3']
    const points = await loaded(() => killAtEachPoint('rotate-authority', { env, look: expectProtection }))
    // What a host was told before the kill it does to its end, so that the next run may find nothing to do there.
    const all = phases.flatMap((phase) => ['db1', 'db2'].flatMap((host) => pointsOf(phase, host)))
    expect(all).toEqual(expect.arrayContaining([...points]))
    for (const phase of phases) {
      const killed = points.filter((point) => point.startsWith(phase))
      expect(killed.length, points.join('; ')).toBeGreaterThanOrEqual(2)
    }
    expect(pids()).toEqual(running)
    expect(trusted(world.operator)).not.toBe(old)
    expect(known()).toEqual([trusted(world.operator)])
    await expectConvergence()
  })

  it('are replaced without the lost state directory, after a run that was killed at any point', async () => {
    const [old, before, running, login] = [trusted(world.operator), await serials(), pids(), password()]
    for (const lost of [state(''), join(world.operator.env.XDG_CONFIG_HOME ?? '', 'muster')])
      rmSync(lost, { recursive: true })
    const refused = await world.muster('install')
    expect(refused).toMatchObject({ code: 1 })
    for (const way of ['state import --from FILE', 'cert rotate-authority --lost'])
      expect(refused.stderr.replaceAll(/\n\s+/g, ' ')).toContain(way)
    const explained = await world.operator.muster(['explain', 'authority-elsewhere'])
    for (const way of ['muster state import', 'muster cert rotate-authority --lost'])
      expect(explained.stdout.replaceAll(/\s+/g, ' ')).toContain(way)
    const argv = ['cert', 'rotate-authority', '--lost', 'alpha.yaml']
    expect(await world.operator.muster(argv)).toMatchObject({ code: 3 })
    expect(existsSync(state('authority.crt'))).toBe(false)
    const trusts = (): string =>
      existsSync(state('authority.crt')) ? `${trusted(world.operator)}${old}` : old
    const paused = await underLoad(
      { operator: world.operator, doors: doors(), password: login, trusts },
      () => cert('rotate-authority', ['--lost', '--trust-only']),
    )
    expect(paused, paused.stderr).toMatchObject({ code: 0 })
    expect(await Promise.all(doors().map((door) => shownSerial(door, trusts())))).toEqual(before)
    const told = paused.stdout.replaceAll(world.operator.directory, '<operator>').split('\n')
    expect(told.filter((line) => line.startsWith('  * '))).toMatchInlineSnapshot(`
      [
        "  * make a certificate authority of alpha in place of the lost one",
        "  * adopt db1 and db2 as installed: machines, keys and certificates",
        "  * adopt the user admin: no login changes",
        "  * the password of admin is unknown, since the file does not give it: it stays valid, and muster users rotate admin makes a new one",
        "  * phase 1 of 3: every host also trusts the new authority; certificates stay as they are",
        "  * other clients need the new authority's certificate before phase 2; phase 1 writes it to <operator>/.muster/alpha/authority.crt",
        "  * this run ends after phase 1 (--trust-only)",
      ]
    `)
    expect((await world.muster('install')).stdout).toContain('alpha: nothing to do on 2 hosts.\n')
    const other = await cert('rotate-authority')
    expect(other).toMatchObject({ code: 3, stdout: expect.not.stringContaining('phase') })
    expect(other.stderr).toContain('Continue it with `muster cert rotate-authority --lost`.')
    const points = await underLoad(
      { operator: world.operator, doors: doors(), password: login, trusts },
      () => killAtEachPoint('rotate-authority', { argv: ['--lost'] }),
    )
    for (const phase of ['phase 2', 'phase 3']) {
      const killed = points.filter((point) => point.startsWith(phase))
      expect(killed.length, points.join('; ')).toBeGreaterThanOrEqual(1)
    }
    expect(pids()).toEqual(running)
    expect((await serials()).filter((serial) => before.includes(serial))).toEqual([])
    for (const door of doors()) await expect(shownSerial(door, old)).rejects.toThrow()
    expect([known(), await exported()]).toEqual([[trusted(world.operator)], trusted(world.operator)])
    await expectConvergence()
    const again = await cert('rotate-authority', ['--lost'])
    expect(again.stdout).toContain(
      'alpha: nothing to do on 2 hosts.\n  * no host has a certificate of an authority whose key is lost\n',
    )
    const rotated = await world.operator.muster(['users', 'rotate', 'admin', '--yes', 'alpha.yaml'])
    expect(rotated, rotated.stderr).toMatchObject({ code: 0 })
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
  })
})

/** The points of one host in one phase at which a command can be killed. */
const pointsOf = (phase: string, host: string): readonly string[] =>
  [`step-started ${host} stores`, `step-done ${host} stores`, `phase-started ${host} verify`].map(
    (point) => `${phase}: ${point}`,
  )
