import { join, relative } from 'node:path'
import { quote } from '../../base/shellWords.ts'
import { lineWidth } from '../../cli/terminal.ts'
import type { HostConfig } from '../../config/model.ts'
import { isLocalAddress } from '../../config/resolve/dataSources.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { components } from '../../contracts/component.ts'
import { apiAddress } from '../../deployment/callHost.ts'
import { missingGrants, tryDatabases, unprovenDatabases } from '../../deployment/databaseAccounts.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { apiUrlsText } from '../../output/deployment/apiUrls.ts'
import { grantsText, rejectedText, unprovenText } from '../../output/deployment/grants.ts'
import type { ClusterOptions } from '../openCluster.ts'
import type { SelectedCluster } from '../selectTargets.ts'
import { report, type Session } from '../session.ts'
import type { InstallDecision } from './decideInstall.ts'

/**
 * Tries the accounts of the databases from every host, and shows the SQL of those whose login failed, and the databases
 * that did not prove themselves. Returns what is wrong, for the verdict of the run.
 */
export async function reportGrants(
  session: Session,
  { planned, preparation }: InstallDecision,
): Promise<readonly string[]> {
  const hosts = await mapHosts({
    items: planned,
    forks: session.context.forks,
    map: ({ transport, target }) => tryDatabases(transport, target),
  })
  const tried = hosts.flatMap((one) => one ?? [])
  const grants = missingGrants(preparation.targets, tried)
  if (session.json) for (const grant of grants) report(session, grantsText([grant]))
  else if (grants.length > 0) report(session, `\n${grantsText(grants)}`)
  const unproven = unprovenDatabases(tried)
  for (const error of unproven.values()) report(session, session.json ? error : `\n${error}\n`)
  return [rejectedText(grants), unprovenText(unproven)].filter((one) => one !== undefined)
}

/** Returns the URLs of the installed APIs and the next commands; `export` is the one that copies the state. */
export function apiUrls(
  options: ClusterOptions & {
    readonly config: SelectedCluster
    readonly decision: InstallDecision
    readonly export: string | undefined
  },
): string {
  const { context, config, files } = options
  const { state } = options.decision.preparation
  const isOwn = (host: HostConfig): boolean =>
    isGenerated(host) && state.hosts.get(host.name)?.outside === undefined
  const { hosts } = config
  const urls = hosts.flatMap((host) =>
    host.apis.flatMap((api) => {
      if (!api.enabled) return []
      const only = isLocalAddress(api.address) && host.connection === 'ssh' ? ` on ${host.name}` : ''
      return [{ host, component: api.component, url: `https://${apiAddress(host, api)}`, only }]
    }),
  )
  const command = (...words: readonly string[]): string => ['muster', ...words, ...files].map(quote).join(' ')
  const called = urls.find(({ host, only }) => isOwn(host) && only === '')
  const authority = join(stateFolder(config), authorityFiles.certificate)
  const curl = [
    'curl',
    '--cacert',
    shortestPath(context.cwd, authority),
    `${called?.url}${commonRoutes.ping.path}`,
  ].map(quote)
  const isLocal = hosts.every(({ connection }) => connection === 'local')
  return apiUrlsText({
    apis: components.flatMap((component) => {
      const its = urls.filter((one) => one.component === component)
      return its.length === 0 ? [] : [{ component, urls: its.map(({ url, only }) => `${url}${only}`) }]
    }),
    commands: [
      ...(called === undefined ? [] : [{ what: 'try it', command: curl.join(' ') }]),
      { what: 'next', command: command('status') },
      ...(options.export === undefined ? [] : [{ what: 'back up', command: options.export }]),
      ...(isLocal ? [{ what: 'stop it', command: command('stop') }] : []),
    ],
    width: lineWidth(context.stdout),
  })
}

/** A path as short as it can be written from a folder without going up. */
function shortestPath(folder: string, path: string): string {
  const below = relative(folder, path)
  return below.startsWith('..') ? path : below
}
