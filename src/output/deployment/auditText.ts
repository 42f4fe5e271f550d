import { lastLines } from '../../base/printable.ts'
import { listOf } from '../../base/words.ts'
import type { RunEntry } from '../../contracts/dashboard.ts'

/** Newest changes that are listed; JSON has all that were read. */
const most = 50

/** Returns the data source or the service that a call names, such as `db3 of alpha`. */
const named = (subject: string): string => {
  const [service = '', ...rest] = subject.split('/')
  return rest.length === 0 ? service : `${rest.join('/')} of ${service}`
}
const all = (subject: string): string => `all data sources of ${subject}`
const policy = (word: string) => (subject: string) => `set the policy of ${subject} to ${word}`
const replication = (subject: string): string =>
  subject === '' ? 'replication' : `replication of ${subject}`

function replaced(subject: string): string {
  const [service = '', from = '', to = ''] = subject.split('/')
  return `replaced the lost primary ${from} of ${service} by ${to}`
}

const primaryOf = (subject: string): string => {
  const [service = '', to] = subject.split('/')
  return `${service}${to === undefined ? '' : ` to ${to}`}`
}

type Deed = (subject: string) => string

/** Calls that change the services map of a component. */
const mapDeeds = (prefix: string, whose: string): Readonly<Record<string, Deed>> => ({
  [`${prefix}AddDataService`]: (subject) => `added the service ${subject} to the map${whose}`,
  [`${prefix}AddDataSource`]: (subject) => `added ${named(subject)} to the map${whose}`,
  [`${prefix}ChangeServicesMap`]: () => `changed the services map${whose}`,
  [`${prefix}Reset`]: () => `took the services map${whose} back to the installed one`,
})

/** What a call did, in the past tense, by the names of the routes. */
const deeds: Readonly<Record<string, Deed>> = {
  managerOffline: (subject) => `took ${named(subject)} offline`,
  managerOnline: (subject) => `brought ${named(subject)} online`,
  managerShun: (subject) => `shunned ${named(subject)}`,
  managerWelcome: (subject) => `welcomed ${named(subject)} back`,
  managerRecover: (subject) => `recovered ${named(subject)}`,
  managerServiceOffline: (subject) => `took ${all(subject)} offline`,
  managerServiceOnline: (subject) => `brought ${all(subject)} online`,
  managerAutomatic: policy('AUTOMATIC'),
  managerManual: policy('MANUAL'),
  managerMaintenance: policy('MAINTENANCE'),
  managerSwitch: (subject) => `switched the primary of ${primaryOf(subject)}`,
  managerFailover: (subject) => `replaced the lost primary of ${primaryOf(subject)}`,
  failover: replaced,
  managerUndo: () => 'took a change back that not all managers made',
  ...mapDeeds('manager', ''),
  ...mapDeeds('connector', ' of the connector'),
  connectorOnline: () => 'brought the connector online',
  connectorOnhold: () => 'put the connector on hold',
  connectorOffline: () => 'took the connector offline',
  replicatorOnline: (subject) => `started ${replication(subject)}`,
  replicatorServiceOnline: (subject) => `started ${replication(subject)}`,
  replicatorOffline: (subject) => `took ${replication(subject)} offline`,
  replicatorServiceOffline: (subject) => `took ${replication(subject)} offline`,
  replicatorReset: (subject) => `reset ${replication(subject)}`,
  replicatorServiceReset: (subject) => `reset ${replication(subject)}`,
  createAdminUser: (subject) => `created or changed the user ${subject}`.trimEnd(),
  deleteUser: (subject) => `deleted the user ${subject}`,
  unlock: (subject) => `unlocked the user ${subject}`,
}

/** Says what somebody did through an API, where and how it ended, on one line without its end. */
function deedText({ time, what, by, hosts, result, detail }: RunEntry): string {
  const at = what.indexOf(' ')
  const [call, subject] = at === -1 ? [what, ''] : [what.slice(0, at), what.slice(at + 1)]
  const deed = Object.hasOwn(deeds, call) ? deeds[call]?.(subject) : undefined
  const did =
    result === 'failed'
      ? `called ${what}, which failed${detail === null ? '' : ` with ${detail}`}`
      : `${deed ?? `called ${what}`}${detail === null ? '' : `, which ${detail}`}`
  return lastLines(`${time.replace(/\.\d+Z$/, 'Z')}  ${by} ${did}, on ${listOf(hosts)}`)
}

/** Lists what people did through the APIs, the newest first; empty for nothing. */
export function deedsText(entries: readonly RunEntry[]): string {
  if (entries.length === 0) return ''
  const shown = entries.slice(0, most).map((entry) => `${deedText(entry)}\n`)
  const left = entries.length - shown.length
  const older = left > 0 ? `and ${left} older: --json has them\n` : ''
  return `Changes through the APIs, by tapi or the dashboard, and by managers:\n${shown.join('')}${older}`
}
