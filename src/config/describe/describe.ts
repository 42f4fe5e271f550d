import type { Span } from '../../diagnostics/diagnostic.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { Secret } from '../../secrets/secret.ts'
import { literalSecrets } from '../locatedSecret.ts'
import { hasDatabase } from '../resolve/dataSources.ts'
import { mentionsOf } from '../resolve/placements.ts'
import type { Resolved, ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { isSecret } from '../secretOptions.ts'
import { connectorOptions } from '../settings/connectorOptions.ts'
import { databaseOptions, monitorOptions, switchOptions } from '../settings/databaseOptions.ts'
import { allOptions, options } from '../settings/options.ts'
import { host as fields, file, service as serviceFields } from '../settings/places.ts'
import type { Given, Setting } from '../settings/setting.ts'
import { allSsh } from '../settings/ssh.ts'
import type { UserEntry } from '../settings/userMap.ts'
import { emptyDraft, givenFor, valueFor } from '../shape/draft.ts'
import type { Plain } from '../types/type.ts'
import type { DescribedHost, DescribedValue, Description, Layer, ValueOrigin } from './description.ts'

/** Identity of a plain value, for comparison. */
const identityOf = (value: Plain): Secret => new Secret(JSON.stringify(value))

/** Identity of a secret, for comparison: its text, or the variable, path or command it is read from. */
function identityOfSecret(reference: SecretReference): Secret {
  switch (reference.kind) {
    case 'literal':
      return new Secret(`literal ${reference.value.reveal()}`)
    case 'env':
      return new Secret(`env ${reference.name}`)
    case 'file':
      return new Secret(`file ${reference.path}`)
    case 'exec':
      return new Secret(`exec ${JSON.stringify(reference.command)}`)
  }
}

/** Identity of users with their levels and optional passwords. */
const identityOfUsers = (users: readonly UserEntry[]): Secret =>
  new Secret(
    JSON.stringify(
      users.map(({ name, access, value }) => [
        name,
        access,
        value === undefined ? null : identityOfSecret(value).reveal(),
      ]),
    ),
  )

const at = ({ file, line, column }: Span): NonNullable<ValueOrigin['place']> => ({ file, line, column })

/** Origin of a value in a file. */
const placed = (layer: Layer, span: Span): ValueOrigin => ({ layer, place: at(span) })

/** Origin of a value that comes from a service. */
const fromService = (service: string, span: Span): ValueOrigin => ({
  layer: 'service',
  service,
  place: at(span),
})

/** Origin of a host's own field. */
const ofField = (given: Given | undefined): ValueOrigin =>
  given === undefined ? { layer: 'default' } : placed('host', given.keySpan)

/** Origin of an ssh setting. */
function ofSsh({ origin, given }: Resolved<unknown>): ValueOrigin {
  if (given === undefined) return { layer: 'default' }
  return placed(origin === 'host' ? 'host' : 'ssh', given.keySpan)
}

/** Origin of an option. */
function ofOption({ origin, given }: Resolved<unknown>, host: ResolvedHost): ValueOrigin {
  if (given === undefined) return { layer: 'default' }
  if (origin === 'set') return { layer: 'set' }
  // The last service that gives it has decided, as in the resolution.
  const service = host.services.findLast(({ options }) => options.has(given.setting.name))
  if (origin === 'service' && service !== undefined) return fromService(service.name, given.keySpan)
  return placed(origin, given.keySpan)
}

const roles = { members: 'member', connectors: 'connector', witnesses: 'witness' } as const

const plainValue = (name: string, value: Plain, origin: ValueOrigin): DescribedValue => ({
  name,
  value,
  origin,
  identity: identityOf(value),
})

/**
 * Lists the roles of a host in its services, such as `master of alpha`, `connector of alpha`, and its
 * components.
 */
function placement(host: ResolvedHost): readonly DescribedValue[] {
  const mentions = host.services.flatMap(mentionsOf).filter((mention) => mention.host === host.name)
  const [first] = mentions
  const origin: ValueOrigin =
    first === undefined ? { layer: 'default' } : fromService(first.service.name, first.span)
  const titles = mentions.map(({ field, service }) => {
    const leads = field === 'members' && valueFor(service.fields, serviceFields.master) === host.name
    return `${leads ? 'master' : roles[field]} of ${service.name}`
  })
  return [plainValue('roles', titles, origin), plainValue('components', host.components, origin)]
}

/** Hides text that is also a secret's value, such as by an alias. */
const hideSecretText = (value: Plain, secrets: ReadonlySet<string>): Plain => {
  if (typeof value === 'string') return secrets.has(value) ? redacted : value
  return Array.isArray(value) ? value.map((item: Plain) => hideSecretText(item, secrets)) : value
}

/**
 * Returns the identity of a secret value; undefined for other settings. Only a setting's own type gives it
 * its value.
 */
function identityFor(setting: Setting<unknown>, value: unknown): Secret | undefined {
  if (isSecret(setting)) return identityOfSecret(value as SecretReference)
  return setting === options.users ? identityOfUsers(value as readonly UserEntry[]) : undefined
}

/** Returns the value as it is shown; a name is hidden before its level joins it. */
function shownValue(setting: Setting<unknown>, value: unknown, secrets: ReadonlySet<string>): Plain {
  if (setting !== options.users) return hideSecretText(setting.type.write(value), secrets)
  const named = (value as readonly UserEntry[]).map((user) => ({
    ...user,
    name: secrets.has(user.name) ? redacted : user.name,
  }))
  return setting.type.write(named)
}

function described(
  setting: Setting<unknown>,
  resolved: Resolved<unknown>,
  facts: { readonly origin: ValueOrigin; readonly secrets: ReadonlySet<string> },
): readonly DescribedValue[] {
  const { value, given } = resolved
  if (value === undefined) return []
  const written = setting.type.write(value)
  const shown = given === undefined ? written : shownValue(setting, value, facts.secrets)
  const identity = identityFor(setting, value) ?? identityOf(written)
  return [{ name: setting.name, value: shown, origin: facts.origin, identity }]
}

const ofDatabase: ReadonlySet<Setting<unknown>> = new Set(
  [databaseOptions, monitorOptions, switchOptions].flatMap((it): Setting<unknown>[] => Object.values(it)),
)
const ofProxy: ReadonlySet<Setting<unknown>> = new Set(Object.values(connectorOptions))

/** Returns true for a setting without effect here unless the file gives it: no database, no proxy. */
const isIdle = (setting: Setting<unknown>, host: ResolvedHost): boolean =>
  (ofDatabase.has(setting) && !hasDatabase(host)) || (ofProxy.has(setting) && host.proxied.length === 0)

/** Returns true if an option has an effect on this host; an idle one is listed only if given. */
function applies(setting: Setting<unknown>, host: ResolvedHost, given: boolean): boolean {
  if (!given && isIdle(setting, host)) return false
  const { component } = setting
  return component === undefined || host.components.includes(component)
}

/** Lists every setting of one host that applies to it and has a value. */
function describeHost(host: ResolvedHost, secrets: ReadonlySet<string>): DescribedHost {
  const own = host.draft.fields
  const ofOptions = allOptions.flatMap((setting) => {
    const resolved = host.option(setting)
    if (!applies(setting, host, resolved.given !== undefined)) return []
    return described(setting, resolved, { origin: ofOption(resolved, host), secrets })
  })
  // Local hosts do not use SSH.
  const ssh = (host.connection === 'local' ? [] : allSsh).flatMap((setting) => {
    const resolved = host.ssh(setting)
    if (!applies(setting, host, resolved.given !== undefined)) return []
    return described(setting, resolved, { origin: ofSsh(resolved), secrets })
  })
  const address = plainValue('address', host.address, ofField(givenFor(own, fields.address)))
  const connection = plainValue('connection', host.connection, ofField(givenFor(own, fields.connection)))
  return { name: host.name, host: [address, connection, ...placement(host)], ssh, options: ofOptions }
}

/**
 * Collects the text of all literal secrets, also of those that a later file replaces. An alias can repeat it
 * under another option, so every printed value is checked against these. Never printed itself.
 */
function literalTexts({ drafts, sets }: ResolvedCluster): ReadonlySet<string> {
  const given = [...drafts, { ...emptyDraft, defaults: sets }].flatMap(literalSecrets)
  const texts = given.map(({ value }) => {
    // These are literals: nothing else is found there.
    const reference = value as SecretReference
    return reference.kind === 'literal' ? reference.value.reveal() : ''
  })
  return new Set(texts.filter((text) => text !== ''))
}

/** Describes the resolved configuration: every host with each value that applies to it, and the origin. */
export function describeCluster(cluster: ResolvedCluster): Description {
  const secrets = literalTexts(cluster)
  return {
    cluster: valueFor(cluster.draft.fields, file.cluster) ?? '',
    hosts: cluster.hosts.map((host) => describeHost(host, secrets)),
  }
}
