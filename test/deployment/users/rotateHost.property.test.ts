import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import { execute } from '../../../src/deployment/execution/execute.ts'
import { type ClusterState, emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { beginRotation, chooseNewPassword } from '../../../src/deployment/state/passwordRotation.ts'
import { rotateHost, runRotation } from '../../../src/deployment/users/rotateHost.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { Killed, killer, memoryHost } from './memoryHost.ts'

const cost = { ln: 1, r: 1, p: 1 }
const random = (size: number): Buffer => Buffer.alloc(size, 5)
const hashOf = (password: Secret, salt: Buffer) => hashPassword({ password, salt, cost })

/** What a run says where it was told wrongly. */
const refused = new Error('refused')

/** A cluster whose hosts all have admin with the password `old`, kept in the state or given by the file. */
async function cluster(size: number, kept: boolean) {
  const hosts = Array.from({ length: size }, (_, index) => memoryHost(`db${index + 1}`))
  const salt = Buffer.alloc(16, 1)
  let disk: ClusterState = withUser(emptyState, 'admin', {
    salt,
    ...(kept && { password: new Secret('old') }),
  })
  for (const host of hosts) host.put('admin', await hashOf(new Secret('old'), salt))

  /** One run of a rotation, killed at its `at`-th deed outside itself; the hosts that it left behind. */
  async function run(options: { chosen?: string; at?: number; down?: readonly string[] } = {}) {
    const { around, count, live } = killer(options.at)
    for (const host of hosts) host.setDown(options.down?.includes(host.name) ?? false)
    const given = kept ? [] : [new Secret('old')]
    const chosen = options.chosen === undefined ? undefined : new Secret(options.chosen)
    const choice = chooseNewPassword('admin', { known: disk.users.get('admin'), given, chosen })
    if (choice.kind === 'refuse' || choice.kind === 'generate') throw refused
    const { password } = choice
    const known = disk.users.get('admin') ?? { salt }
    const now = new Date('2026-11-22T12:00:00Z')
    const next =
      choice.kind === 'continue'
        ? choice.known
        : await beginRotation(known, { password, old: given, now, random, hash: hashOf })
    const login = {
      user: 'admin',
      password,
      hash: await hashOf(password, next.salt),
      previous: next.pending ?? [],
    }
    const work = hosts.map((host) =>
      rotateHost({ cluster: 'alpha', surveyed: host.survey(around), state: disk, login }),
    )
    const behind = await runRotation({
      user: 'admin',
      state: disk,
      next,
      given: false,
      hosts: hosts.map(({ name }) => name),
      save: (before, after) =>
        around(async () => {
          expect(disk).toBe(before)
          disk = after
        }),
      run: async () => {
        const { signal } = new AbortController()
        const outcomes = await execute({ hosts: work, emit: () => {}, signal, clock: () => 0 })
        live()
        return outcomes.flatMap(({ host, proved }) => (proved === undefined ? [] : [host]))
      },
    })
    return { behind, deeds: count() }
  }

  /** The passwords that are known: by the state, and by the file as long as it gives the old one. */
  const known = (): readonly string[] => {
    const { password, pending = [] } = disk.users.get('admin') ?? {}
    return [password, ...pending].flatMap((one) => one?.reveal() ?? []).concat(kept ? [] : ['old'])
  }
  const expectLogins = async (): Promise<void> => {
    for (const host of hosts) {
      const taken = await Promise.all(known().map((password) => host.takes('admin', password)))
      expect(taken, `${host.name} takes one of ${known().join(', ')}`).toContain(true)
    }
  }
  const expectDone = async (password: string): Promise<void> => {
    for (const host of hosts) {
      expect(await host.takes('admin', password)).toBe(true)
      expect(await host.takes('admin', 'old')).toBe(false)
    }
    const { password: keeps, pending, replaced } = disk.users.get('admin') ?? {}
    // Also where the file has a source, which has yet to follow.
    expect(keeps?.reveal()).toBe(password)
    expect(pending).toBeUndefined()
    expect(replaced).not.toHaveLength(0)
  }
  return { run, expectLogins, expectDone, state: () => disk.users.get('admin') }
}

describe('a password rotation', () => {
  it('killed at any point leaves a known login on each host, and the next run completes it', async () => {
    const sizes = [1, 3]
    for (const size of sizes) {
      for (const kept of [true, false]) {
        const { deeds } = await (await cluster(size, kept)).run({ chosen: 'new' })
        expect(deeds).toBeGreaterThanOrEqual(4 + 4 * size)
        for (let at = 0; at <= deeds; at += 1) {
          const { run, expectLogins, expectDone, state } = await cluster(size, kept)
          const ended = await run({ chosen: 'new', at }).catch((error: unknown) => error)
          if (at < deeds) expect(ended).toBeInstanceOf(Killed)
          await expectLogins()
          const { pending } = state() ?? {}
          // Without the option it goes on where the state says that it had begun.
          if (at >= deeds) await expectDone('new')
          else if (pending !== undefined || state()?.replaced === undefined) {
            await run(pending === undefined ? { chosen: 'new' } : {})
          }
          await expectDone('new')
        }
      }
    }
  })

  it('never loses a login, whatever interrupts it and whichever hosts are down', async () => {
    const attempt = fc.record({
      chosen: fc.constantFrom('one', 'two', undefined),
      at: fc.option(fc.nat(20), { nil: undefined }),
      down: fc.subarray(['db1', 'db2', 'db3']),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { maxLength: 4 }), fc.boolean(), async (attempts, kept) => {
        const { run, expectLogins, expectDone } = await cluster(3, kept)
        for (const { chosen, at, down } of attempts) {
          // What it is told wrongly it refuses: a password that is in use, or none where the file has a source.
          await run({ ...(chosen && { chosen }), ...(at !== undefined && { at }), down }).catch(
            (error: unknown) => {
              if (error instanceof Killed || error === refused) return
              throw error
            },
          )
          await expectLogins()
        }
        const { behind } = await run({ chosen: 'last' })
        expect(behind).toEqual([])
        await expectDone('last')
      }),
      { numRuns: propertyRuns(60) },
    )
  })

  it('names a host that is down, and the next run completes it', async () => {
    const { run, expectLogins, expectDone } = await cluster(3, true)
    expect(await run({ chosen: 'new', down: ['db2'] })).toMatchObject({ behind: ['db2'] })
    await expectLogins()
    expect(await run()).toMatchObject({ behind: [] })
    await expectDone('new')
  })
})
