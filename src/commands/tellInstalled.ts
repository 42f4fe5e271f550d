import { join, relative } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { lineWidth } from '../cli/terminal.ts'
import type { HostConfig } from '../config/model.ts'
import { isHere } from '../config/resolve/dataSources.ts'
import { components } from '../contracts/component.ts'
import { apiPlace } from '../deployment/apiPlace.ts'
import { tryDatabases } from '../deployment/databaseLogins.ts'
import { isGenerated } from '../deployment/desired/stores.ts'
import type { Emit } from '../deployment/events.ts'
import { hostsAtOnce } from '../deployment/execution/execute.ts'
import { missingGrants } from '../deployment/grants.ts'
import { mapLimit } from '../deployment/mapLimit.ts'
import { authorityFiles } from '../deployment/state/stateFiles.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import { grantsText } from '../output/deployment/grants.ts'
import { partText } from '../output/deployment/part.ts'
import { reachText } from '../output/deployment/reach.ts'
import type { ClusterOptions } from '../session/openCluster.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'
import { quote } from '../transport/shellWords.ts'
import type { PreparedRun } from './prepareRun.ts'

/** A log for machines is no place for a password. */
export function tellWhereKept(run: PreparedRun, place: StatePlace, emit: Emit): void {
  for (const { user } of run.preparation.made) {
    emit({
      type: 'notice',
      message: `the password of ${user} was generated; it is stored in ${stateFolder(place)}`,
    })
  }
}

/** Says which part of the file it was, where the command was not for all of it. */
export function tellPart(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly json: boolean
  readonly emit: Emit
}): void {
  const { context, config, json, emit } = options
  const message = partText({ ...config, hosts: namesOf(config.hosts), left: namesOf(config.left) })
  if (message === undefined) return
  if (json) emit({ type: 'notice', message })
  else context.stdout.write(`${message}\n`)
}

/** Tries the accounts of the databases from every host, and shows the SQL of those whose login failed. */
export async function tellGrants(options: {
  readonly context: CommandContext
  readonly run: PreparedRun
  readonly json: boolean
  readonly emit: Emit
}): Promise<void> {
  const { context, run, json, emit } = options
  const tried = await mapLimit({
    items: run.planned,
    limit: hostsAtOnce,
    map: ({ transport, target }) => tryDatabases(transport, target),
  })
  const grants = missingGrants(
    run.preparation.targets,
    tried.flatMap((one) => one ?? []),
  )
  if (json) for (const grant of grants) emit({ type: 'notice', message: grantsText([grant]) })
  else if (grants.length > 0) context.stdout.write(`\n${grantsText(grants)}\n`)
}

/** Where the APIs are that were installed, and what to do next. */
export function reachOf(
  options: ClusterOptions & { readonly config: SelectedCluster; readonly run: PreparedRun },
): string {
  const { context, config, files } = options
  const { state } = options.run.preparation
  const isOwn = (host: HostConfig): boolean =>
    isGenerated(host) && state.hosts.get(host.name)?.outside === undefined
  const { hosts } = config
  const urls = hosts.flatMap((host) =>
    host.apis.flatMap((api) => {
      if (!api.enabled) return []
      const only = isHere(api.address) && host.connection === 'ssh' ? ` on ${host.name}` : ''
      return [{ host, component: api.component, url: `https://${apiPlace(host, api)}`, only }]
    }),
  )
  const command = (...words: readonly string[]): string => ['muster', ...words, ...files].map(quote).join(' ')
  const called = urls.find(({ host, only }) => isOwn(host) && only === '')
  const authority = join(stateFolder(config), authorityFiles.certificate)
  const curl = ['curl', '--cacert', nearest(context.cwd, authority), `${called?.url}/api/v2/ping`].map(quote)
  const isLocal = hosts.every(({ connection }) => connection === 'local')
  return reachText({
    apis: components.flatMap((component) => {
      const its = urls.filter((one) => one.component === component)
      return its.length === 0 ? [] : [{ component, urls: its.map(({ url, only }) => `${url}${only}`) }]
    }),
    commands: [
      ...(called === undefined ? [] : [{ what: 'try it', command: curl.join(' ') }]),
      { what: 'next', command: command('status') },
      ...(isLocal ? [{ what: 'stop it', command: command('stop') }] : []),
    ],
    width: lineWidth(context.stdout),
  })
}

/** A path as short as it can be written from a folder without going up. */
function nearest(folder: string, path: string): string {
  const below = relative(folder, path)
  return below.startsWith('..') ? path : below
}
