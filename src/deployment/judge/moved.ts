import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { parseManifest } from '../manifest.ts'
import { servicePlan } from '../service.ts'
import type { StepError } from '../stepError.ts'
import { problemsOf, type TellProblem } from './problem.ts'

/** What moving an installation comes down to, after what would undo the change. */
const anew = (change: string): string =>
  `${change}. Or uninstall with the old value and install again: password, certificates and the databases stay.`

/**
 * Whether the file keeps what an installation cannot change while it stands: its folder and its user
 * (deployment.md, "A deployment"). What the components wrote themselves would be left behind.
 */
export function judgeMoved(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const problem = problemsOf(host)
  const elsewhere = folderOfUnits(host, facts) ?? folderBefore({ host, facts, cluster })
  return [...judgeFolder(host, elsewhere, problem), ...judgeUser({ host, facts, cluster }, problem)]
}

/** The folder that a unit starts from, where that is another one. */
const folderOfUnits = (host: HostConfig, { installation }: HostFacts): string | undefined =>
  [...installation.units.values()]
    .map((unit) => /^ExecStart="(\/.*?)\/current\/node" /m.exec(unit)?.[1]?.replaceAll(/([%$])\1/g, '$1'))
    .find((folder) => folder !== undefined && folder !== host.installDirectory)

/** The folder that the state directory knows, where the very installation still stands: processes have no unit. */
function folderBefore(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly cluster: string
}): string | undefined {
  const { before } = options.facts.installation
  const installed = before && parseManifest(before.manifest)
  const ours = installed?.cluster === options.cluster && installed.host === options.host.name
  return ours ? before?.folder : undefined
}

function judgeFolder(host: HostConfig, elsewhere: string | undefined, problem: TellProblem): StepError[] {
  if (elsewhere === undefined) return []
  return [
    problem(
      'installed-elsewhere',
      `its components are installed in ${elsewhere}, and install-directory is ${host.installDirectory}`,
      anew(`Set install-directory back to ${elsewhere}`),
    ),
  ]
}

function judgeUser(
  {
    host,
    facts,
    cluster,
  }: { readonly host: HostConfig; readonly facts: HostFacts; readonly cluster: string },
  problem: TellProblem,
): StepError[] {
  const { installation } = facts
  const { user } = servicePlan(host, facts, cluster)
  const installed = installation.account?.user
  if (installation.currentRelease === undefined || installed === undefined || installed === user) return []
  return [
    problem(
      'installed-as-other-user',
      `its components run as ${installed}, who owns their logs and states, but would run as ${user}`,
      anew(`Set \`user: ${installed}\``),
    ),
  ]
}
