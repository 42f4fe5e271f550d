import { expect } from 'vitest'
import type { FaultRow } from './faultRows.ts'

type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }
type Passwords = { readonly old: string; readonly next: string }

/** A cluster that runs, over which faults come: hosts that are folders, or hosts of the lab. */
export type FaultSite = {
  /** Gives the next run something to do, another password of the administrator among it. */
  readonly changeConfiguration: () => Passwords
  /** `muster install`, and so on, with the file as it is now. */
  readonly muster: (command: 'install' | 'plan') => Promise<Outcome>
  /** What is installed and what runs, by host: equal means untouched. */
  readonly state: () => Promise<Readonly<Record<string, unknown>>>
  /** What each API of a host answers to the administrator's login, by component: 200 is in, 401 is out. */
  readonly enter: (
    host: string,
    password: string,
  ) => Promise<Readonly<Record<string, number | string | undefined>>>
  /** What a run must not leave behind once it has ended well. */
  readonly leftovers: () => Promise<readonly string[]> | readonly string[]
}

export type Fault = {
  readonly row: FaultRow
  readonly site: FaultSite
  /** Makes it, and answers with what ends it. */
  readonly begin: () => Promise<() => unknown> | (() => unknown)
  /** What is tried while it lasts; `muster install` unless told. */
  readonly attempt?: () => Promise<Outcome>
  readonly code: number
  /** Judges what was said. */
  readonly told: (outcome: Outcome) => void
  /** Hosts that got all that was wanted in spite of it. */
  readonly done?: readonly string[]
  /** Hosts that are left in the middle of it: each of their APIs has a login with either password. */
  readonly torn?: readonly string[]
  /** The same as `torn` for hosts that went back to what they had: other processes may run there, for the same. */
  readonly back?: readonly string[]
  /** Hosts that answer nobody before the fault is over. */
  readonly gone?: readonly string[]
}

const words = ({ stdout, stderr }: Outcome): string => `${stdout}${stderr}`

/** One clear message: which host, what and why, the code that `muster explain` knows, and how to mend it. */
export function oneError(expected: {
  readonly host: string
  readonly what: RegExp
  readonly code: string
  readonly fix: RegExp
}): (outcome: Outcome) => void {
  return (outcome) => {
    const told = [
      ...outcome.stderr.matchAll(/^error ([^:\n]+): (.+) \[([a-z-]+)\]\n((?: {4}.+\n)*) {2}fix: (.+)$/gm),
    ].map(([, host, what, code, more, fix]) => ({ host, code, what: `${what}\n${more}`.trimEnd(), fix }))
    const { host, code, what, fix } = expected
    expect(told, words(outcome)).toEqual([
      { host, code, what: expect.stringMatching(what), fix: expect.stringMatching(fix) },
    ])
    expect(outcome.stderr.match(/^error/gm), words(outcome)).toHaveLength(1)
  }
}

/**
 * The three parts of each row of the fault table: nothing is lost while the fault lasts, and no API is ever without
 * a login; what is wrong is told; once it is over, a second run ends what was wanted and a third finds nothing to do.
 */
export async function endsWell(fault: Fault): Promise<void> {
  const { site, done = [], torn = [], back = [], gone = [] } = fault
  const { old, next } = site.changeConfiguration()
  const before = await site.state()
  const hosts = Object.keys(before)
  const logins = async (host: string): Promise<void> => {
    const known = done.includes(host) ? [next] : torn.includes(host) ? [next, old] : [old]
    const answers: Awaited<ReturnType<typeof site.enter>>[] = []
    for (const password of known) answers.push(await site.enter(host, password))
    const components = Object.keys(answers[0] ?? {})
    expect(components.length, host).toBeGreaterThan(0)
    const shut = components.filter((component) => answers.every((answer) => answer[component] !== 200))
    expect(shut, `${fault.row}: APIs of ${host} without a login: ${JSON.stringify(answers)}`).toEqual([])
  }

  const end = await fault.begin()
  try {
    const outcome = await (fault.attempt ?? (() => site.muster('install')))()
    fault.told(outcome)
    expect(outcome.code, words(outcome)).toBe(fault.code)
    for (const host of hosts.filter((name) => !gone.includes(name))) await logins(host)
    const meanwhile = await site.state()
    for (const host of hosts) {
      const touched = [...done, ...torn, ...back, ...gone].includes(host)
      if (!touched) expect(meanwhile[host], `${fault.row}: ${host} is as it was`).toEqual(before[host])
    }
  } catch (error) {
    await end()
    // So that the next row begins with a cluster that has what its file says.
    await site.muster('install')
    throw error
  }
  await end()
  for (const host of gone) await logins(host)
  await converges(site, { old, next })
}

/** A run ends what was wanted, the next finds nothing to do, and every API knows the new password alone. */
export async function converges(site: FaultSite, { old, next }: Passwords): Promise<void> {
  const install = await site.muster('install')
  expect(install, words(install)).toMatchObject({ code: 0 })
  const proved = install.stdout.match(/logins verified/g) ?? []
  expect(proved.length, words(install)).toBeGreaterThan(0)
  const plan = await site.muster('plan')
  expect(plan, words(plan)).toMatchObject({ code: 0 })
  expect(plan.stdout).toMatch(/^alpha: nothing to do on \d+ hosts?\.\n$/)
  for (const host of Object.keys(await site.state())) {
    expect(
      Object.values(await site.enter(host, next)).every((status) => status === 200),
      host,
    ).toBe(true)
    const refused = old === next ? [] : Object.values(await site.enter(host, old))
    expect(
      refused.every((status) => status === 401),
      `${host} still knows the old password`,
    ).toBe(true)
  }
  expect(await site.leftovers()).toEqual([])
}
