import { randomBytes } from 'node:crypto'
import { counted } from '../base/words.ts'
import { appendLines } from '../cli/appendLines.ts'
import { ask } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { colourOf, textWidth, writeFileTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type ClusterConfig, type HostConfig, isReachedLocally } from '../config/model.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import type { UnreachableHost } from '../deployment/survey.ts'
import {
  type NewServer,
  type ScannedServer,
  serversOf,
  type TrustOutcome,
  trustServers,
} from '../deployment/trustServers.ts'
import { pinsYaml, serverKeysText, trustJson, trustSummary } from '../output/deployment/trustText.ts'
import {
  fileArguments,
  hostOption,
  runOnFiles,
  serviceAndConnectionOptions,
  shardOption,
} from '../session/clusterOptions.ts'
import { type HostKeyReader, hostKeyReader } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { reportUnreachable } from '../session/outcomes.ts'
import type { Route } from '../transport/destination.ts'
import { fileForNewKeys, hashesNames, knownHostsLines } from '../transport/hostKeys/knownHostsLines.ts'

export const trustCommand: Define = (made, world) =>
  runOnFiles(
    serviceAndConnectionOptions(shardOption(hostOption(fileArguments(made))))
      .option('-y, --yes', 'trust every new key without asking')
      .option('--pin', 'print YAML that pins the keys instead of writing known_hosts')
      .option('--json', 'print the keys as JSON, without asking'),
    world,
    (options) =>
      trust({ ...options, yes: flag(made, 'yes'), pin: flag(made, 'pin'), json: flag(made, 'json') }),
  )

type TrustOptions = ClusterOptions & {
  readonly yes: boolean
  /** Print what pins the keys in the YAML, and write nothing. */
  readonly pin: boolean
  readonly json: boolean
}

/**
 * Shows the keys of all hosts and jump hosts, and adds confirmed new ones to the known_hosts file that ssh itself would
 * write. Logs in to jump hosts only.
 */
export async function trust(options: TrustOptions): Promise<ExitCode> {
  const { context, yes, pin, json } = options
  if (pin && (yes || json)) {
    throw new UsageError(`--pin cannot be used with --${yes ? 'yes' : 'json'}.`, 'Use one of them.')
  }
  const { config } = await openCluster(options)
  return trustHosts({ context, config, yes, pin, json })
}

type TrustRequest = Pick<TrustOptions, 'context' | 'yes' | 'pin' | 'json'>

/** Does what `trust` does for a configuration. */
export async function trustHosts(
  options: TrustRequest & { readonly config: Pick<ClusterConfig, 'cluster' | 'hosts'> },
): Promise<ExitCode> {
  const { context, config, yes, pin, json } = options
  const reader = hostKeyReader(context)
  const { routes, unreachable } = await routesOf(config.hosts, reader)
  const shown = json || pin ? context.stderr : context.stdout
  const layout = { colour: colourOf(context, shown), width: textWidth(shown) }
  const outcomes = await trustServers(serversOf(routes), {
    readKeys: ({ to, jumpHosts }) => reader.hostKeysOf(to, jumpHosts),
    readEntries: ({ to }) => reader.entriesOf(to.check.files),
    decide: async (looked) => {
      if (context.signal.aborted) throw new Interrupted()
      if (!json) shown.write(serverKeysText(looked, layout))
      return decide(options, looked)
    },
    add: (servers) => writeDown(servers, reader),
  })
  if (context.signal.aborted) throw new Interrupted()
  if (pin) writeFileTo(context.stdout, pinsYaml(outcomes))
  if (json) context.stdout.write(trustJson(config.cluster, outcomes, unreachable))
  else shown.write(trustSummary({ ...layout, cluster: config.cluster, outcomes, unreachable, yes, pin }))
  reportUnreachable(context, unreachable)
  return exitOf(outcomes, unreachable, options)
}

/** Returns the routes to the hosts with SSH; a host without a valid route counts as failed. */
async function routesOf(
  hosts: readonly HostConfig[],
  reader: HostKeyReader,
): Promise<{ readonly routes: readonly Route[]; readonly unreachable: readonly UnreachableHost[] }> {
  const remote = hosts.filter((host) => !isReachedLocally(host))
  const found = await Promise.all(
    remote.map(async (host): Promise<Route | UnreachableHost> => {
      try {
        return await reader.routeOf(host)
      } catch (error) {
        return { host, failure: failureOf(error), unreachable: false }
      }
    }),
  )
  return {
    routes: found.filter((one) => 'target' in one),
    unreachable: found.filter((one) => 'failure' in one),
  }
}

/** Asks about each server with new keys; without a terminal or with --yes it does not ask. */
async function decide(
  { context, yes, pin, json }: TrustRequest,
  looked: readonly ScannedServer[],
): Promise<readonly NewServer[]> {
  const news = looked.filter((one): one is NewServer => 'found' in one && one.found.state === 'new')
  if (pin) return []
  if (yes) return news
  if (json || context.stdin.isTTY !== true) return []
  const chosen: NewServer[] = []
  for (const [index, one] of news.entries()) {
    const left = news.slice(index)
    const answer = await askAbout(context, one, left.length)
    if (answer === 'all') return [...chosen, ...left]
    if (answer === 'yes') chosen.push(one)
  }
  return chosen
}

/** `left`: how many servers there are to ask about, this one among them. */
async function askAbout(
  context: CommandContext,
  { server, found }: NewServer,
  left: number,
): Promise<'yes' | 'no' | 'all'> {
  const all = left > 1 ? '/all' : ''
  for (;;) {
    const question = `Trust the ${counted(found.keys.length, 'key')} of ${server.label}? [yes/no${all}/fingerprint]`
    const answer = await ask(context, question)
    if (answer === undefined || /^n(o)?$/i.test(answer)) return 'no'
    if (/^y(es)?$/i.test(answer)) return 'yes'
    if (/^a(ll)?$/i.test(answer) && left > 1) return 'all'
    if (found.keys.some(({ fingerprint }) => fingerprint === answer.replace(/=+$/, ''))) return 'yes'
    context.stderr.write(
      answer.startsWith('SHA256:')
        ? `${server.label} did not show this fingerprint. If the host itself prints it, another machine answers here: answer no.\n`
        : 'Answer yes or no, or paste the fingerprint that the host itself prints.\n',
    )
  }
}

/** One write for each file. Rejects with a `UsageError` where ssh_config names no file, and as node:fs does. */
async function writeDown(servers: readonly NewServer[], reader: HostKeyReader): Promise<void> {
  const files = new Map<string, Set<string>>()
  for (const { server, found } of servers) {
    const file = fileForNewKeys(server.to)
    if (file === undefined) {
      throw new UsageError(
        `ssh_config names no known_hosts file for ${server.label}, so its key cannot be saved.`,
        'Correct UserKnownHostsFile, or give known-hosts under ssh.',
      )
    }
    const hashed = hashesNames(server.to, await reader.entriesOf(server.to.check.files))
    const keys = found.keys.map(({ key }) => key)
    const lines = files.get(file) ?? new Set()
    for (const line of knownHostsLines(server.to, { keys, hashed, random: randomBytes })) lines.add(line)
    files.set(file, lines)
  }
  for (const [file, lines] of files) await appendLines(file, [...lines])
}

/** Returns the exit code: a failed host outweighs an unreachable one. */
function exitOf(
  outcomes: readonly TrustOutcome[],
  unreachable: readonly UnreachableHost[],
  { context, pin }: TrustRequest,
): ExitCode {
  const some = (...results: readonly TrustOutcome['result'][]): boolean =>
    outcomes.some(({ result }) => results.includes(result))
  if (unreachable.length > 0 || some('changed', 'revoked', 'failed')) return exitCodes.failed
  if (some('unreachable')) return exitCodes.unreachable
  if (some('behind')) return exitCodes.failed
  if (pin || !some('untrusted')) return exitCodes.ok
  return context.stdin.isTTY === true ? exitCodes.failed : exitCodes.changes
}
