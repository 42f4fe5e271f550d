import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callAll } from '../../../src/client/call.ts'
import { components } from '../../../src/contracts/component.ts'
import type { FaultSite } from '../../support/endsWell.ts'
import type { LabHost } from '../support/labTypes.ts'
import { must } from './onHost.ts'
import type { Operator } from './operator.ts'
import { makeSentinel } from './sentinel.ts'

/** How the file of the cluster gives the administrator's password, which each wish changes. */
export const faultPassword = '!file admin.password'

const ports = { manager: 8090, connector: 8096, replicator: 8097 } as const

/** What is installed and what runs, by its main process, but for what the components themselves write. */
const script = `cd /opt/muster
find . -path './.before*' -prune -o -name deployment.jsonl -o -type f -exec sha256sum {} + | sort
sha256sum /var/lib/muster-alpha/users.json
readlink current
systemctl show -p MainPID,ActiveState --value 'muster-alpha-*'
cd /etc/systemd/system && sha256sum muster-*`

/** The cluster alpha on these hosts, all three components on each, its password given by `faultPassword`. */
export function faultSite(options: {
  readonly operator: Operator
  readonly hosts: () => readonly LabHost[]
  /** Writes alpha.yaml with something to do for the next run. */
  readonly describe: () => void
  /** Further arguments of install and plan. */
  readonly args?: readonly string[]
}): FaultSite & { readonly password: () => string } {
  const { operator, hosts, describe, args = [] } = options
  let now = makeSentinel().password
  operator.write('admin.password', now)
  return {
    password: () => now,
    changeConfiguration: () => {
      const old = now
      now = makeSentinel().password
      operator.write('admin.password', now)
      describe()
      return { old, next: now }
    },
    muster: (command) =>
      operator.muster([command, ...(command === 'install' ? ['--yes'] : []), ...args, 'alpha.yaml']),
    state: async () => {
      const states = hosts().map(async (host) => [host.name, await must(host, script)] as const)
      return Object.fromEntries(await Promise.all(states))
    },
    enter: async (name, password) => {
      const host = hosts().find((one) => one.name === name)
      const authority = readFileSync(join(operator.directory, '.muster/alpha/authority.crt'), 'utf8')
      const results = await callAll(
        components.map((component) => ({
          id: component,
          method: 'GET',
          path: '/api/v2/user/admin',
          target: { address: host?.address ?? '', port: ports[component], authorities: [authority] },
          credentials: { user: 'admin', password },
          timeout: 10_000,
        })),
      )
      return Object.fromEntries(
        results.map((result) => [result.id, 'status' in result ? result.status : result.error.code]),
      )
    },
    leftovers: async () => {
      const found = hosts().map((host) =>
        must(
          host,
          `find /opt/muster -name '*.new' -o -name '*.muster-*' -o -name '.before*' -o -name '.back'`,
        ),
      )
      return (await Promise.all(found)).filter((text) => text !== '')
    },
  }
}
