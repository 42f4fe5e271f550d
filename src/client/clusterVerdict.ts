import { isoDate } from '../base/time.ts'
import { listOf, shortListOf } from '../base/words.ts'
import {
  type ClusterPicture,
  componentLevels,
  type PictureComponent,
  type PictureDataSource,
  type PictureHost,
  type PictureProblem,
  type PictureService,
  type Verdict,
  verdictLevels,
} from '../contracts/clusterPicture.ts'
import type { Component } from '../contracts/component.ts'
import { isLateReason } from '../contracts/replicaLag.ts'
import { disputedParts, groupOpinions, type ServiceView } from './clusterView.ts'

/** A picture without its verdict, and what else the verdict needs. */
type VerdictFacts = Omit<ClusterPicture, 'verdict'> & {
  readonly views: readonly ServiceView[]
  readonly now: Date
}

const dayMs = 86_400_000

/**
 * Evaluates a cluster. One cause is one problem: what only follows from another problem is left out, such as the
 * components of an unreachable host. The policy MAINTENANCE is somebody's intention, and no problem.
 */
export function verdictOf(facts: VerdictFacts): Verdict {
  const problems = isUnasked(facts)
    ? [problem('unknown', 'no host has answered yet')]
    : isNowhereUp(facts)
      ? nowhereUp(facts.hosts)
      : problemsOf(facts)
  const sorted = problems.toSorted(
    (one, other) => verdictLevels.indexOf(one.level) - verdictLevels.indexOf(other.level),
  )
  return { level: sorted[0]?.level ?? 'ok', problems: sorted }
}

const problemsOf = (facts: VerdictFacts): readonly PictureProblem[] => [
  ...facts.services.flatMap((service) => writerProblem(service, facts)),
  ...facts.hosts.flatMap(hostProblem),
  ...facts.datasources.flatMap((source) => dataSourceProblem(source, facts)),
  ...componentProblems(facts),
  ...facts.hosts.flatMap((host) => connectorProblem(host, facts)),
  ...reportProblems(facts),
  ...facts.services.flatMap((service) => disagreementProblem(service, facts)),
  ...certificateProblems(facts),
]

type Subject = Partial<Pick<PictureProblem, 'code' | 'host' | 'service' | 'datasource'>>

const problem = (level: PictureProblem['level'], text: string, subject: Subject = {}): PictureProblem => ({
  level,
  text: text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text,
  ...{ code: null, host: null, service: null, datasource: null },
  ...subject,
})

/** Characters of a problem's text. */
const maxText = 240

/** Returns true for a host that was asked, or could not be, and is not up. */
export const isDown = ({ state }: PictureHost): boolean => state !== 'up' && state !== 'unknown'

/** Returns true before the first word of any host or manager. */
const isUnasked = ({ hosts, views }: VerdictFacts): boolean =>
  hosts.length > 0 &&
  hosts.every(({ state }) => state === 'unknown') &&
  views.every((it) => it.managers.length === 0)

const isNowhereUp = ({ hosts }: VerdictFacts): boolean => hosts.length > 0 && hosts.every(isDown)

/** Says why no host can be asked: hosts of which the same is true are one problem. */
function nowhereUp(hosts: readonly PictureHost[]): readonly PictureProblem[] {
  if (hosts.every(({ state }) => state === 'not-installed'))
    return [problem('unknown', 'muster is not installed on any host')]
  const [first] = hosts
  if (first !== undefined && hosts.length > 1 && hosts.every(({ state }) => state === 'unreachable')) {
    const such = `such as ${first.name}${because(first.detail, first.name)}`
    return [problem('down', `all ${hosts.length} hosts are unreachable, ${such}`)]
  }
  const level = hosts.every(({ state }) => state === 'unreachable') ? 'down' : 'unknown'
  return groupOpinions(hosts, ({ state, detail, name }) => `${state}${because(detail, name)}`).map(
    ([one, ...others]) => {
      const names = shortListOf([one, ...others].map(({ name }) => name))
      const text = hostText({ ...one, name: names }, because(one.detail, one.name), others.length > 0)
      return problem(level, text, others.length > 0 ? {} : { host: one.name })
    },
  )
}

function hostProblem(host: PictureHost): readonly PictureProblem[] {
  const { name, detail } = host
  if (!isDown(host))
    return detail === null ? [] : [problem('degraded', `${name}${because(detail, name)}`, { host: name })]
  return [problem('degraded', hostText(host, because(detail, name)), { host: name })]
}

/** Says why a host, or several of which the same is true, is no part of the cluster now. */
function hostText(
  { name, state }: Pick<PictureHost, 'name' | 'state'>,
  why: string,
  several = false,
): string {
  if (state === 'not-installed') return `muster is not installed on ${name}`
  if (state === 'unreachable') return `${name} ${several ? 'are' : 'is'} unreachable${why}`
  return `${name} could not be asked${why}`
}

/** Returns the reason after a colon, without the host's name at its beginning; nothing without one. */
function because(reason: string | null, name = ''): string {
  const words = reason === null ? '' : sentence(reason)
  if (words === '') return ''
  return `: ${name !== '' && words.startsWith(`${name}: `) ? words.slice(name.length + 2) : words}`
}

/** Returns true for the words of a component whose account a database did not let in. */
const isRejectedLogin = (reason: string): boolean => reason.includes(" rejected login '")

/** A manager's words before the reason why it cannot look at a data source. */
const uncheckable = 'It cannot be checked. '

/** Returns the first sentence, without its full stop; all of them where they say which password to check. */
function sentence(text: string): string {
  const words = text.replace(uncheckable, '')
  const first = isRejectedLogin(words) ? words : words.split(/\.\s+(?=[A-Z])/, 1)[0]
  return first?.replace(/\.$/, '') ?? ''
}

/** Names the service where there is more than one. */
const ofService = (service: string, { services }: Pick<VerdictFacts, 'services'>): string =>
  services.length > 1 ? ` of ${service}` : ''

/**
 * Returns true where each manager is known to be stopped or on an unreachable host: connectors soon refuse new clients.
 */
function isEveryManagerStopped({ hosts }: VerdictFacts): boolean {
  const reached = hosts.filter(({ state }) => state !== 'unreachable')
  const managers = reached.flatMap(({ components }) => components.filter(isManager))
  return (
    managers.length > 0 &&
    managers.every(({ state }) => state === 'stopped') &&
    reached.every(({ state }) => state === 'up' || state === 'not-installed')
  )
}

const isManager = ({ component }: Pick<PictureComponent, 'component'>): boolean => component === 'manager'

function writerProblem({ name, writer }: PictureService, facts: VerdictFacts): readonly PictureProblem[] {
  const of = ofService(name, facts)
  const subject = { service: name, code: writer?.code ?? null }
  // The problem of the managers says why.
  if (isEveryManagerStopped(facts)) return []
  if (writer === null) return [problem('unknown', `the state${of} is not known: no manager reports`, subject)]
  if (writer.datasource !== null) return []
  if (writer.switching !== undefined) {
    const { from, to } = writer.switching
    return [problem('degraded', `clients${of} wait for the switch from ${from} to ${to}`, subject)]
  }
  return [problem('down', `no writer${of}${because(writer.reason)}`, subject)]
}

const hasNoWriter = (name: string, { services }: VerdictFacts): boolean =>
  services.some(({ name: one, writer }) => one === name && writer !== null && writer.datasource === null)

/** Codes of data sources that say again why their service has no writer. */
const writerCodes: ReadonlySet<string | null> = new Set(['no-writer', 'two-writers', 'read-only-primary'])

function dataSourceProblem(source: PictureDataSource, facts: VerdictFacts): readonly PictureProblem[] {
  const { service, name, role, state, appliedLatency, code, reason, by, since } = source
  const who = `${role} ${name}${ofService(service, facts)}`
  const found = (text: string): readonly PictureProblem[] => [
    problem('degraded', text, { code, host: hostOf(source, facts)?.name ?? null, service, datasource: name }),
  ]
  if (hasNoWriter(service, facts) && (role === 'primary' || writerCodes.has(code))) return []
  if (state === 'UNKNOWN') return unknownProblem(source, facts)
  if (state === 'FAILED') {
    const host = hostOf(source, facts)
    return host !== undefined && isDown(host) ? [] : found(`${who} is FAILED${because(reason)}`)
  }
  if (state !== 'ONLINE')
    return found(
      `${who} is ${state}${by === null ? '' : ` (by ${by}${since === null ? '' : ` since ${since}`})`}`,
    )
  if (appliedLatency !== null && isLateReason(reason)) return found(`${who} is ${appliedLatency} s behind`)
  if (reason === null) return code === null ? [] : found(`${who}: ${code}`)
  if (code === null && isSaidByManager(reason, facts)) return []
  return found(`${who}${aboutIt(reason)}`)
}

/** One problem for all data sources of a service that nobody checks or can check. */
function unknownProblem({ service, name, reason }: PictureDataSource, facts: VerdictFacts) {
  const unknown = facts.datasources.filter((it) => it.service === service && it.state === 'UNKNOWN')
  // Without a report the problem of the writer says so.
  if (reason === null || unknown[0]?.name !== name) return []
  const names = shortListOf(unknown.map((it) => it.name))
  const who = `${names}${ofService(service, facts)}`
  const why = sentence(reason)
  if (reason.startsWith(uncheckable))
    return [problem('degraded', `${who} cannot be checked: ${uncapitalized(why)}`, { service })]
  const text = `${who} ${unknown.length === 1 ? 'is' : 'are'} not checked`
  return [problem('unknown', `${text}: ${/^It is not checked: (.*)$/.exec(why)?.[1] ?? why}`, { service })]
}

/** Puts a sentence of a manager behind the name of its data source: `It follows db2.` as ` follows db2`. */
function aboutIt(reason: string): string {
  const words = sentence(reason)
  return words.startsWith('It ') ? words.slice(2) : `: ${uncapitalized(words)}`
}

const uncapitalized = (words: string): string => `${words.charAt(0).toLowerCase()}${words.slice(1)}`

/** Returns true where managers that are not ready give the same reason. */
const isSaidByManager = (reason: string, { hosts }: VerdictFacts): boolean =>
  hosts.some(({ components }) =>
    components.some(
      (it) => it.component === 'manager' && it.state === 'not-ready' && it.reason?.includes(reason) === true,
    ),
  )

/** Returns the host of a data source: data sources are named as their hosts are. */
const hostOf = (
  { name }: Pick<PictureDataSource, 'name'>,
  { hosts }: VerdictFacts,
): PictureHost | undefined => hosts.find((host) => host.name === name)

type BadComponent = { readonly host: string } & Pick<PictureComponent, 'component' | 'state' | 'reason'>

/** One problem for all components that fail alike. */
function componentProblems(facts: VerdictFacts): readonly PictureProblem[] {
  const bad = facts.hosts
    .filter((host) => !isDown(host))
    .flatMap((host) =>
      host.components
        .filter((one) => isBad(one) && !isConsequence(one, host, facts))
        .map(({ component, state, reason }): BadComponent => ({ host: host.name, component, state, reason })),
    )
  return groupOpinions(bad, ({ state, reason }) => `${state} ${reason}`).map((same) => {
    const [{ state, reason }] = same
    const hosts = [...new Set(same.map(({ host }) => host))]
    const kinds = [...new Set(same.map(({ component }) => component))]
    const verb = same.length === 1 ? ['is', 'does'] : ['are', 'do']
    const words = {
      stopped: `${verb[0]} stopped`,
      silent: `${verb[1]} not respond`,
      'not-ready': `${verb[0]} not ready`,
      ready: '',
      unknown: '',
    }
    const text = `${subjectOf(kinds, hosts, same.length)} ${words[state]}${because(reason)}`
    const level = isEveryManagerStopped(facts) && same.some(isManager) ? 'down' : 'degraded'
    return problem(level, text, { host: hosts.length === 1 ? (hosts[0] ?? null) : null })
  })
}

const isBad = ({ state }: PictureComponent): boolean => componentLevels[state] !== 'ok'

function subjectOf(kinds: readonly Component[], hosts: readonly string[], count: number): string {
  const [kind = ''] = kinds
  const what = kinds.length === 1 ? `${kind}${count === 1 ? '' : 's'}` : listOf(kinds)
  return `${kinds.length > 1 && hosts.length > 1 ? 'components' : what} of ${shortListOf(hosts)}`
}

/** Returns true for a component that is not ready because of something that is a problem of its own. */
function isConsequence(
  { component, state, reason }: PictureComponent,
  host: PictureHost,
  facts: VerdictFacts,
): boolean {
  if (state !== 'not-ready') return false
  const { connector } = host
  if (component === 'connector') {
    const service = connector?.clients?.service
    return (
      (connector !== null && connector.value !== 'ONLINE') ||
      (service !== undefined && hasNoWriter(service, facts))
    )
  }
  if (component === 'manager') {
    const isBlind = reason?.startsWith('no data source can be checked: ') === true
    return isBlind && facts.datasources.some((it) => it.state === 'UNKNOWN' && it.reason !== null)
  }
  if (reason !== null && isRejectedLogin(reason)) return false
  return facts.datasources.some(
    ({ name, state: own }) => name === host.name && own !== 'ONLINE' && own !== 'UNKNOWN',
  )
}

function connectorProblem(host: PictureHost, facts: VerdictFacts): readonly PictureProblem[] {
  const { name, connector } = host
  if (isDown(host) || connector === null || connector.clients === null) return []
  const { value, held, clients } = connector
  const wait = held === 0 ? '' : `, ${held === 1 ? '1 client waits' : `${held} clients wait`}`
  const found = (text: string) => [problem('degraded', text, { host: name, service: clients.service })]
  if (value === 'ONHOLD') return found(`connector of ${name} is on hold${wait}`)
  if (value === 'OFFLINE') return found(`connector of ${name} is offline${wait}`)
  if (held === 0 || hasNoWriter(clients.service, facts)) return []
  return found(
    `connector of ${name} holds ${held === 1 ? '1 client' : `${held} clients`}${because(connector.reason)}`,
  )
}

/** One problem for all managers that did not report for the same reason, where nothing else says why. */
function reportProblems({ views, hosts }: VerdictFacts): readonly PictureProblem[] {
  const explained = new Set(
    hosts
      .filter((host) => isDown(host) || host.components.some((one) => isManager(one) && isBad(one)))
      .map(({ name }) => name),
  )
  const missing = new Map(
    views.flatMap((view) => view.missing).map(({ host, reason }) => [host, { host, reason }]),
  )
  const unexplained = [...missing.values()].filter(({ host }) => !explained.has(host))
  return groupOpinions(unexplained, ({ reason }) => reason).map((same) => {
    const names = same.map(({ host }) => host)
    const text = `no report from the manager${same.length === 1 ? '' : 's'} of ${shortListOf(names)}: ${same[0].reason}`
    return problem('degraded', text, { host: names.length === 1 ? (names[0] ?? null) : null })
  })
}

function disagreementProblem(service: PictureService, facts: VerdictFacts): readonly PictureProblem[] {
  const view = facts.views.find(({ name }) => name === service.name)
  const disputed = (view?.datasources ?? []).filter((it) => !it.managersAgree).map(({ name }) => name)
  const subjects = [
    ...(view && view.unknownTo.length > 0 && !service.managersAgree
      ? [`the service ${service.name}`]
      : disputedParts(view ?? { managers: [] }).map(({ part }) => `the ${part}`)),
    ...disputed,
  ]
  if (subjects.length === 0) return []
  const text = `managers disagree on ${shortListOf(subjects)}${ofService(service.name, facts)}`
  return [problem('degraded', text, { service: service.name })]
}

/** One problem for all certificates that end on the same day. */
function certificateProblems({ hosts, now }: VerdictFacts): readonly PictureProblem[] {
  const ending = hosts.flatMap(({ name, certificateExpires, certificateWarningDays }) => {
    const end = certificateExpires === null ? Number.NaN : Date.parse(certificateExpires)
    return end - now.getTime() < certificateWarningDays * dayMs ? [{ name, end }] : []
  })
  const groups = groupOpinions(ending, ({ end }) => isoDate(end))
  return groups.map((same) => {
    const names = same.map(({ name }) => name)
    const first = Math.min(...same.map(({ end }) => end))
    const days = Math.floor((first - now.getTime()) / dayMs)
    const many = same.length > 1
    const when =
      days < 0
        ? `ended on ${isoDate(first)}`
        : `${many ? 'end' : 'ends'} ${days === 0 ? 'within a day' : `in ${days === 1 ? '1 day' : `${days} days`}`}`
    const text = `certificate${many ? 's' : ''} of ${shortListOf(names)} ${when}`
    return problem('degraded', text, { host: many ? null : (names[0] ?? null) })
  })
}
