import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Component, components } from '../../../src/contracts/component.ts'
import { makeSentinel } from '../../lab/scenario/sentinel.ts'
import type { FaultSite } from '../../support/endsWell.ts'
import { logIn } from './api.ts'
import { runs } from './pids.ts'
import { pathsBelow, snapshot } from './snapshot.ts'
import type { Host, World } from './world.ts'

/** The option that gives the administrator's password. */
export const passwordOption = { 'rest-api-admin-pass': '!env FAULT_PASS' } as const

/** What calls changed of a manager or a connector, which goes on meanwhile. */
const isState = (path: string): boolean => /^data\/(manager|connector)\.json$/.test(path)

/** All but that. */
const installed = ({ directory }: Host) =>
  Object.entries(snapshot(directory)).filter(([path]) => !isState(path))

/** Where the API of an installed component listens, as its settings say. */
function portOf({ directory }: Host, component: Component): number | undefined {
  const file = join(directory, 'share', `${component}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).listen?.port : undefined
}

/** A world's cluster, whose file gives the administrator's password by `passwordOption`. */
export function faultSite(
  world: World,
  options: {
    /** Writes that file with something to do for the next run. */
    readonly describe: () => void
    /** The password to begin with; a new one unless told. */
    readonly first?: string
    /** PEM of an authority that is trusted besides the cluster's own. */
    readonly trusts?: string
  },
): FaultSite & { readonly password: () => string } {
  let now = options.first ?? makeSentinel().password
  world.operator.env.FAULT_PASS = now
  return {
    password: () => now,
    changeConfiguration: () => {
      const old = now
      now = makeSentinel().password
      world.operator.env.FAULT_PASS = now
      options.describe()
      return { old, next: now }
    },
    muster: (command) => world.muster(command),
    state: async () =>
      Object.fromEntries(
        world.hosts.map((host) => {
          const pids = Object.entries(host.pids()).map(([component, pid]) => [component, pid, runs(pid)])
          return [host.name, { files: installed(host), pids }]
        }),
      ),
    enter: async (name, password) => {
      const host = world.host(name)
      const answers = components.flatMap((component) => {
        const port = portOf(host, component)
        if (port === undefined) return []
        const there = { ...host, ports: { ...host.ports, [component]: port } }
        const { trusts } = options
        const answer = logIn({ operator: world.operator, host: there, component, password, trusts })
        return [answer.then((status) => [component, status] as const)]
      })
      return Object.fromEntries(await Promise.all(answers))
    },
    leftovers: () =>
      world.hosts
        .flatMap(({ directory }) => pathsBelow(directory))
        .filter((path) => /\.new|\.muster-|\.before|\.back/.test(path)),
  }
}
