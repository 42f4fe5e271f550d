import type { Outcome } from '../support/execute.ts'

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** The entry of each host in what a command printed with --json, whatever else stands around it. */
function hostsIn(outcome: Outcome): readonly Json[] {
  const value: unknown = JSON.parse(outcome.stdout)
  const hosts = Array.isArray(value) ? value : isJson(value) ? value.hosts : undefined
  if (!Array.isArray(hosts)) throw new Error(`no hosts in ${outcome.stdout}${outcome.stderr}`)
  return hosts.filter(isJson)
}

/** Names of the hosts that `plan --json` would change. */
export const changingHosts = (outcome: Outcome): readonly unknown[] =>
  hostsIn(outcome)
    .filter(({ changes }) => Array.isArray(changes) && changes.length > 0)
    .map(({ host }) => host)

/** The state of each host in `status --json`, by name. */
export const hostStates = (outcome: Outcome): Readonly<Record<string, unknown>> =>
  Object.fromEntries(hostsIn(outcome).map(({ host, state }) => [String(host), state]))

/** How each host came out, in the events that `install --json` printed one per line. */
export function hostResults(outcome: Outcome): Readonly<Record<string, unknown>> {
  const events = outcome.stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter(isJson)
  const ended = events.find(({ type }) => type === 'run-ended')?.outcomes
  if (!Array.isArray(ended)) throw new Error(`the run did not end: ${outcome.stdout}${outcome.stderr}`)
  return Object.fromEntries(ended.filter(isJson).map(({ host, result }) => [String(host), result]))
}
