import type { CommandContext } from '../../cli/context.ts'
import { tryInstalledDatabases } from '../../deployment/databaseAccounts.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import {
  installedMaster,
  nameOfMaster,
  wrongMasters,
  wrongMasterText,
} from '../../deployment/preflight/masterCheck.ts'
import type { Survey, SurveyedHost } from '../../deployment/survey.ts'
import type { LoadedCluster } from '../loadCluster.ts'
import { placesOfMasters } from '../reportFindings.ts'
import type { SelectedCluster } from '../selectTargets.ts'

/** Number of hosts that are asked: the manager of each knows the databases of all services. */
const asked = 3

/**
 * Returns a note for each master of the file that is not the primary by the words of its server, which installed managers
 * ask with their own accounts. `changed`: only services whose master differs from the installed one.
 */
export async function masterNotes(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly loaded: LoadedCluster
  readonly survey: Survey
  readonly of: 'all' | 'changed'
}): Promise<readonly string[]> {
  const { context, config, loaded, survey, of } = options
  const managed = survey.reached.filter((one) => settingsOf(one) !== undefined)
  const services = config.services.filter(({ name, datasources }) => {
    const master = nameOfMaster(datasources)
    const before = managed.map((one) => installedMaster(settingsOf(one), name))
    return master !== undefined && (of === 'all' || before.some((was) => was !== undefined && was !== master))
  })
  if (services.length === 0) return []
  const logins = await mapHosts({
    items: managed.slice(0, asked),
    forks: context.forks,
    map: ({ transport, ...one }) => tryInstalledDatabases(transport, one),
  })
  const place = placesOfMasters(loaded)
  return wrongMasters(
    services,
    logins.flatMap((one) => one ?? []),
  ).map((one) => {
    const { reason, fix } = wrongMasterText(one, place(one.service))
    return `${reason}. ${fix}.`
  })
}

const settingsOf = ({ facts }: SurveyedHost): unknown => facts.installation.settings.get('manager')
