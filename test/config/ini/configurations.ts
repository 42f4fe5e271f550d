import fc from 'fast-check'
import type { YamlNode } from '../../../src/config/document/node.ts'
import { allOptions, options } from '../../../src/config/settings/options.ts'
import type { Setting } from '../../../src/config/settings/setting.ts'
import { allSsh } from '../../../src/config/settings/ssh.ts'

/** Text of any kind, and some that INI or YAML give a meaning to. */
const oddText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        ...'\'"\\$#%:@;=[]{}!&*|>,` \t',
        'é',
        '漢',
        '😀',
        '\u00a0',
        '\u2028',
        ' #',
        ' ;',
        ' \\',
        'host:',
        '!env ',
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join('')),
)

/** YAML text: JSON, with a tag before the value if needed. */
type Yaml = { readonly yaml: string }
const json = (value: unknown): Yaml => ({ yaml: JSON.stringify(value) })

const secret: fc.Arbitrary<Yaml> = fc.oneof(
  // Long and random enough that no rule reports it as a default password.
  fc.tuple(oddText, oddText).map(([a, b]) => json(`${a}q7Zx-19vLm_tRw${b}`)),
  fc.constantFrom('ADMIN_PASS', 'x_1').map((name) => ({ yaml: `!env ${name}` })),
  oddText.map((path) => ({ yaml: `!file ${JSON.stringify(`p${path}`)}` })),
  fc
    .array(oddText, { minLength: 1, maxLength: 3 })
    .map((words) => ({ yaml: `!exec ${JSON.stringify(['pass', ...words])}` })),
)

const address = fc.oneof(
  fc.tuple(fc.nat({ max: 250 }), fc.integer({ min: 1, max: 250 })).map(([a, b]) => `10.7.${a}.${b}`),
  fc.constantFrom('2001:db8::7', '::1', '1::', 'fe80::a:b'),
)

const candidates = (setting: Setting<unknown>): fc.Arbitrary<unknown> => {
  const { schema, example } = setting.type
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as readonly string[]))
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') {
    const most = Number(schema.maximum)
    return fc.integer({
      min: most < 1024 ? Number(schema.minimum) : Math.max(1024, Number(schema.minimum)),
      max: Math.min(3000, most),
    })
  }
  if (setting === options.allowedHosts)
    return fc.array(fc.oneof(address, fc.constant('www.example.org')), { maxLength: 3 })
  if (setting === options.installDirectory) return oddText.map((text) => `/srv/x${text}`)
  if (/path$/.test(setting.name)) {
    return fc.oneof(
      oddText.map((text) => `/srv/${text}`),
      oddText.map((text) => `host:/srv/${text}`),
      oddText.map((text) => `stores/${text}`),
    )
  }
  return fc.oneof(fc.constant(example), address, fc.constantFrom('500ms', '90s', '5m'), oddText)
}

const span = { file: 'x', line: 1, column: 1, endLine: 1, endColumn: 2 }

/** Returns true if a setting accepts a value. */
function takes(setting: Setting<unknown>, value: unknown): boolean {
  const node = (item: unknown): YamlNode =>
    Array.isArray(item)
      ? { kind: 'list', flow: true, items: item.map(node), span }
      : { kind: 'scalar', value: item as string, source: String(item), span }
  return setting.type.read(node(value), setting.name).findings.length === 0
}

const users: fc.Arbitrary<Yaml> = fc
  .uniqueArray(fc.constantFrom('ops', 'api.user', '7', '__proto__', 'true', 'jos\u00e9', 'x-y_z'), {
    minLength: 1,
  })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .option(secret)
          .map((password) => `${JSON.stringify(name)}: ${password === null ? 'null' : password.yaml}`),
      ),
    ),
  )
  .map((entries) => ({ yaml: `{ ${entries.join(', ')} }` }))

const givenTo = (setting: Setting<unknown>): fc.Arbitrary<Yaml> =>
  setting === options.users
    ? users
    : setting.secret
      ? secret
      : candidates(setting)
          .filter((value) => takes(setting, value))
          .map(json)

/** Some of the settings, each with a value that it takes. */
const someOf = (settings: readonly Setting<unknown>[]): fc.Arbitrary<Readonly<Record<string, Yaml>>> =>
  fc
    .subarray([...settings], { maxLength: 6 })
    .chain((chosen) =>
      fc.tuple(...chosen.map((setting) => givenTo(setting).map((value) => [setting.name, value] as const))),
    )
    .map((pairs) => Object.fromEntries(pairs))

const map = (values: Readonly<Record<string, Yaml>>): Yaml => ({
  yaml: `{ ${Object.entries(values)
    .map(([name, { yaml }]) => `${JSON.stringify(name)}: ${yaml}`)
    .join(', ')} }`,
})

const list = (names: readonly string[]): Yaml => json(names)

/** Without what makes most combinations wrong: ports that clash, and one store without the other. */
const free = allOptions.filter(
  ({ name }) => !/port$|^java-(tls-)?(key|trust)store|^tls-warning|lifetime$|^rest-api-admin/.test(name),
)

const hostNames = ['db1', 'db2', 'db3', 'db4.example.org', 'app-1', 'host-10-7-1-1', '7a', 'true']

type Host = { readonly name: string; readonly address: string | undefined }

const hostsOf = (order: readonly string[], addresses: readonly (string | undefined)[]): readonly Host[] =>
  order.map((name, index) => ({
    name,
    address:
      name === 'host-10-7-1-1'
        ? '10.7.1.1'
        : addresses[index] === undefined
          ? undefined
          : `10.8.${index}.${addresses[index]}`,
  }))

const admin = fc.record({ user: fc.constantFrom('admin', 'api.user'), password: secret })
const stores = fc.record({ path: oddText, password: secret })

/** YAML texts of configurations with everything that INI can and cannot express; nearly all are without errors. */
export const configurations: fc.Arbitrary<string> = fc
  .record({
    cluster: fc.constantFrom('alpha', 'my-svc', 'c1'),
    service: fc.constantFrom('alpha', 'my-svc', 'Alpha.x', 'defaults', 'a-b'),
    second: fc.constantFrom('beta', 'my.svc', 'a.b'),
    hosts: fc.shuffledSubarray(hostNames, { minLength: 4 }),
    addresses: fc.array(fc.option(fc.integer({ min: 1, max: 250 }).map(String), { nil: undefined }), {
      maxLength: 4,
    }),
    admin: fc.option(admin, { nil: undefined, freq: 9 }),
    stores: fc.option(stores, { nil: undefined }),
    defaults: someOf(free),
    options: someOf(free),
    others: someOf(free),
    hostOptions: fc.array(someOf(free), { maxLength: 3 }),
    ssh: someOf(allSsh),
    hostSsh: fc.array(someOf(allSsh), { maxLength: 2 }),
    witness: fc.boolean(),
    local: fc.boolean(),
    port: fc.integer({ min: 20_000, max: 30_000 }),
  })
  .map((given) => {
    const [first = '', second = '', third = '', fourth = '', ...rest] = given.hosts
    const account =
      given.admin === undefined
        ? {}
        : {
            'rest-api-admin-user': json(given.admin.user),
            'rest-api-admin-pass': given.admin.password,
          }
    const store =
      given.stores === undefined
        ? {}
        : {
            'java-tls-keystore-path': json(`host:/k${given.stores.path}`),
            'java-keystore-password': given.stores.password,
            'java-truststore-path': json(`t${given.stores.path}`),
            'java-truststore-password': given.stores.password,
          }
    const clustered = {
      topology: json('clustered'),
      master: json(second),
      members: list([first, second]),
      connectors: list(rest),
      ...(given.witness ? { witnesses: list([third]) } : {}),
      options: map({ ...given.options, 'manager-rest-api-port': json(given.port) }),
    }
    const replicator = {
      topology: json('replicator'),
      members: list(given.witness ? [fourth] : [fourth, third]),
      options: map(given.others),
    }
    const hosts = hostsOf(given.hosts, given.addresses).map(({ name, address: at }, index) => {
      const local = given.local && index === 0
      const parts = {
        ...(at === undefined ? {} : { address: json(at) }),
        ...(local ? { connection: json('local') } : {}),
        ...(local || given.hostSsh[index] === undefined ? {} : { ssh: map(given.hostSsh[index]) }),
        ...(given.hostOptions[index] === undefined ? {} : { options: map(given.hostOptions[index]) }),
      }
      return [name, map(parts)] as const
    })
    return map({
      cluster: json(given.cluster),
      defaults: map({
        // A password is an error without its user.
        'monitor-user': json('monitor'),
        'replication-user': json('replica'),
        ...given.defaults,
        ...account,
        ...store,
      }),
      ssh: map(given.ssh),
      services: map({ [given.service]: map(clustered), [given.second]: map(replicator) }),
      hosts: map(Object.fromEntries(hosts)),
    }).yaml
  })
