import { describe, expect, it } from 'vitest'
import { checkDrift, type DriftOfHost } from '../../../src/deployment/checkDrift.ts'
import { type HostPlan, preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { withGroupedChanges } from '../../../src/output/deployment/driftText.ts'
import { planJson, planText } from '../../../src/output/deployment/plan.ts'
import { planMarkdown } from '../../../src/output/deployment/planMarkdown.ts'
import { finishedFacts } from '../../deployment/steps/target.ts'
import { preparedTargets } from '../../support/preparedTargets.ts'

type Cluster = {
  readonly count: number
  readonly defaults?: string
  readonly db1?: string
  readonly address?: string
}

/** A cluster with databases on every host, whose managers reach each other and show the dashboard. */
function fileOf({ count, defaults = '', db1 = '{}', address = '0.0.0.0' }: Cluster): string {
  const names = Array.from({ length: count }, (_, at) => `db${at + 1}`)
  const list = names.join(', ')
  return `cluster: nova
services:
  nova: { topology: clustered, master: db1, members: [${list}], connectors: [${list}] }
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env PASS
  manager-rest-api-address: ${address}
  connector-rest-api-address: 0.0.0.0
  datasource-type: mariadb
  replication-user: repl
  replication-password: !env PASS
  monitor-user: monitor
  monitor-password: !env PASS
  ${defaults}
hosts:
${names.map((name, at) => `  ${name}: { address: 10.0.0.${at + 11}, options: ${name === 'db1' ? db1 : '{}'} }\n`).join('')}`
}

const env = { PASS: 'kQ9-uTr33-Xw' }
const installed = new Map<string, ReturnType<typeof preparedTargets>>()

/** Prepares the hosts of a file as they are once it is installed; made once per file, for every host has certificates and stores. */
function preparedOnce(yaml: string): ReturnType<typeof preparedTargets> {
  const prepared = installed.get(yaml) ?? preparedTargets({ yaml, env })
  installed.set(yaml, prepared)
  return prepared
}

/** Plans every host of a file on hosts that are installed as another file says. */
async function plansFrom(before: Cluster, after: Cluster): Promise<readonly HostPlan[]> {
  const { targets, state } = await preparedOnce(fileOf(before))
  const facts = new Map([...targets].map(([name, target]) => [name, finishedFacts(target)]))
  const next = await preparedTargets({
    yaml: fileOf(after),
    env,
    state,
    facts: (host) => facts.get(host),
  })
  return [...next.targets.values()].map((target) => ({
    host: target.host.name,
    address: target.host.address,
    steps: preview(installPlan({ target, packed: () => undefined }), target.facts),
  }))
}

const textOf = (plans: readonly HostPlan[]): string =>
  planText({ cluster: 'nova', notes: [], plans, colour: false })
const detailsOf = (plans: readonly HostPlan[]): readonly (readonly string[])[] => {
  const { hosts } = JSON.parse(planJson({ cluster: 'nova', notes: [], plans, excluded: [], grants: [] }))
  return hosts.map((one: { changes: { details: string[] }[] }) =>
    one.changes.flatMap(({ details }) => details),
  )
}

const port = 'manager-rest-api-port: 18090'

describe('a change of one port on all hosts', () => {
  it('is shown once at 3 hosts, with one line for what follows from it', async () => {
    const plans = await plansFrom({ count: 3 }, { count: 3, defaults: port })
    expect(textOf(plans)).toMatchInlineSnapshot(`
      "nova: changes on 3 of 3 hosts

      db1 (10.0.0.11)
        ~ write settings
            manager-rest-api-port: 8090 → 18090
            and what the other hosts know of it
        ~ restart manager
      db2 and db3: the same

      Plan: 0 to add, 6 to change, 0 to remove on 3 hosts
      "
    `)
    expect(detailsOf(plans)).toEqual([
      [
        'manager-rest-api-port: 8090 → 18090',
        'manager-rest-api-port of db2: 8090 → 18090',
        'manager-rest-api-port of db3: 8090 → 18090',
      ],
      [
        'manager-rest-api-port: 8090 → 18090',
        'manager-rest-api-port of db1: 8090 → 18090',
        'manager-rest-api-port of db3: 8090 → 18090',
      ],
      [
        'manager-rest-api-port: 8090 → 18090',
        'manager-rest-api-port of db1: 8090 → 18090',
        'manager-rest-api-port of db2: 8090 → 18090',
      ],
    ])
  })

  it('is as short at 20 hosts, in a plan, as Markdown and as drift', async () => {
    const plans = await plansFrom({ count: 20 }, { count: 20, defaults: port })
    expect(textOf(plans)).toMatchInlineSnapshot(`
      "nova: changes on 20 of 20 hosts

      db1 (10.0.0.11)
        ~ write settings
            manager-rest-api-port: 8090 → 18090
            and what the other hosts know of it
        ~ restart manager
      db2, db3, db4, db5, db6, db7, db8, db9, db10, db11, db12, db13 and 7 more: the same

      Plan: 0 to add, 40 to change, 0 to remove on 20 hosts
      "
    `)
    expect(planMarkdown({ cluster: 'nova', notes: [], plans, excluded: [] }).split('\n').length).toBeLessThan(
      20,
    )
    const hosts = plans.map(
      (plan): DriftOfHost => ({
        host: plan.host,
        address: plan.address,
        state: 'checked',
        results: [],
        isInstalled: true,
        stopped: [],
        changes: plan.steps.map(({ change }) => change.summary),
        plan,
      }),
    )
    const span = { file: 'nova.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 }
    const found = checkDrift(hosts, () => span)
    expect(found).toHaveLength(20)
    expect(withGroupedChanges(found, hosts).map(({ message, fix }) => [message, fix])).toMatchInlineSnapshot(`
      [
        [
          "db1, db2, db3, db4, db5, db6, db7, db8, db9, db10, db11, db12 and 8 more differ from the file; install would make 2 changes on each: write settings (manager-rest-api-port: 8090 → 18090, and what the other hosts know of it) and restart manager.",
          "Run muster plan to see the differences, then muster install.",
        ],
      ]
    `)
  })

  it.each([
    'connector-rest-api-port: 18096',
    'application-port: 13306',
    'application-readonly-port: 13307',
    'replication-port: 3307',
    'manager-rest-api-port: 18090, connector-rest-api-port: 18096, application-port: 13306',
  ])('is short and without JSON for %s', async (options) => {
    const plans = await plansFrom({ count: 6 }, { count: 6, defaults: options.replaceAll(', ', '\n  ') })
    const text = textOf(plans)
    expect(text).toContain('and what the other hosts know of it\n')
    expect(text).toContain('\ndb2, db3, db4, db5 and db6: the same\n')
    expect(text.split('\n').length).toBeLessThan(18)
    expect(text + detailsOf(plans).flat().join('\n')).not.toMatch(/[{}"]/)
  })
})

describe('what a host knows of another one', () => {
  it('is one line where the other one changes, and its own line where that does not', async () => {
    const plans = await plansFrom({ count: 4 }, { count: 4, db1: '{ manager-rest-api-port: 18090 }' })
    expect(textOf(plans)).toMatchInlineSnapshot(`
      "nova: changes on 4 of 4 hosts

      db1 (10.0.0.11)
        ~ write settings
            manager-rest-api-port: 8090 → 18090
            and what the other hosts know of it
        ~ restart manager

      db2 (10.0.0.12)
        ~ write settings
            what it knows of db1
        ~ restart manager
      db3 and db4: the same

      Plan: 0 to add, 8 to change, 0 to remove on 4 hosts
      "
    `)
    const [, ...others] = plans
    expect(textOf(others)).toMatchInlineSnapshot(`
      "nova: changes on 3 of 3 hosts

      db2 (10.0.0.12)
        ~ write settings
            manager-rest-api-port of db1: 8090 → 18090
        ~ restart manager
      db3 and db4: the same

      Plan: 0 to add, 6 to change, 0 to remove on 3 hosts
      "
    `)
  })

  it('is one line for a host that is new, and one for a host that is gone', async () => {
    const wider = await plansFrom({ count: 3 }, { count: 4 })
    expect(textOf(wider)).toMatchInlineSnapshot(`
      "nova: changes on 4 of 4 hosts
        * restart the connectors one after another; their clients have 30 s each to finish: db1, db2 and db3

      db1 (10.0.0.11)
        ~ write settings
            manager, connector: services.nova.members.db4: none → 10.0.0.14 3306 replica
            address of db4.channel: none → 10.0.0.14
            and what it knows of db4
        ~ restart manager, connector
            connector: clients of nova at 127.0.0.1:9999
      db2 and db3: the same

      db4 (10.0.0.14)
        + create the system user muster-nova
        + set up /opt/muster
            /opt/muster: new
            /var/lib/muster-nova: new
            /var/log/muster-nova: new
        + send the runtime node-24.21.0-7fde7b8afa19
        + send muster-api 1.2.3 as release 1.2.3-246847576d84
        + write keystore, truststore and certificate
            share/tls/keystore.p12: new
            share/tls/truststore.p12: new
            share/tls/key.pem: new
            share/tls/chain.pem: new
            share/tls/authorities.pem: new
            share/secrets.json: new
        + write settings
            share/manager.json: new
            share/connector.json: new
            share/replicator.json: new
            and what the other hosts know of it
        + create the administrator admin
            users.json: admin: [redacted] new
        ~ switch to release 1.2.3-246847576d84
        ~ write and enable systemd units
            /etc/systemd/system/muster-nova-manager.service: new
            /etc/systemd/system/muster-nova-connector.service: new
            /etc/systemd/system/muster-nova-replicator.service: new
            muster-nova-manager.service: enabled
            muster-nova-connector.service: enabled
            muster-nova-replicator.service: enabled
        ~ start manager, connector, replicator
            connector: clients of nova at 127.0.0.1:9999

      Plan: 7 to add, 9 to change, 0 to remove on 4 hosts
      "
    `)
    expect(textOf(wider.slice(0, 3))).toContain(
      '\n  ~ write settings\n      manager, connector: services.nova.members.db4: none → 10.0.0.14 3306 replica\n      host db4: new\n',
    )
    expect(textOf(await plansFrom({ count: 4 }, { count: 3 }))).toContain('      host db4: removed\n')
  })

  it('is one line where the managers listen on loopback from now on', async () => {
    const plans = await plansFrom({ count: 6 }, { count: 6, address: '127.0.0.1' })
    expect(textOf(plans)).toContain(
      'manager-dashboard: true → false\n      manager-rest-api-address: 0.0.0.0 → 127.0.0.1\n',
    )
    expect(textOf(plans).split('\n').length).toBeLessThan(15)
  })
})
