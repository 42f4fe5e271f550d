import { decideService } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { foreignInstallation } from '../hostIdentity.ts'
import { parseManifest } from '../manifest.ts'
import { installedManager, serviceManagers } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { type Candidate, type Check, type CheckedHost, ok } from './checkContract.ts'
import { howToGetRoot } from './rootCheck.ts'

/**
 * Checks that the install-directory is empty or holds this installation with the same folder and user. An
 * installation cannot change these (deployment.md, "A deployment"): data of the components would be left behind.
 */
export const installationCheck: Check = {
  id: 'installation',
  check: (candidate) => {
    const other = foreignInstallation(candidate)
    if (other !== undefined) return [other]
    const elsewhere = installedElsewhere(candidate)
    return [...(elsewhere === undefined ? [] : [elsewhere]), ...otherUser(candidate)]
  },
  describe: ({ facts: { installation } }) =>
    ok(
      installation.currentRelease === undefined
        ? 'nothing is installed yet'
        : `${installation.currentRelease} is installed`,
    ),
}

type Installed = Pick<Candidate, 'cluster' | 'facts'> & {
  readonly host: Pick<CheckedHost, 'name' | 'installDirectory'>
}

/** Reports components of this cluster that are installed in a folder other than the install-directory. */
export function installedElsewhere(candidate: Installed): StepError | undefined {
  const { host, facts } = candidate
  const folder = folderOfUnits(host, facts) ?? folderBefore(candidate)
  if (folder === undefined) return undefined
  return new StepError({
    host: host.name,
    code: 'installed-elsewhere',
    message: `its components are installed in ${folder}, but install-directory is ${host.installDirectory}`,
    fix: reinstallFix(`Set install-directory back to ${folder}`),
  })
}

/** Returns the folder of the host's units if it is another one. */
const folderOfUnits = (host: Installed['host'], facts: HostFacts): string | undefined =>
  [...facts.installation.units.values()]
    .map((unit) => serviceManagers[installedManager(facts)].definitions?.folderIn(unit))
    .find((folder) => folder !== undefined && folder !== host.installDirectory)

/**
 * Returns the folder in the state directory if this installation still exists there; processes without units need
 * this.
 */
function folderBefore({ cluster, host, facts }: Installed): string | undefined {
  const { before } = facts.installation
  const installed = before && parseManifest(before.manifest)
  const ours = installed?.cluster === cluster && installed.host === host.name
  return ours ? before?.folder : undefined
}

function otherUser({ cluster, host, facts }: Candidate): readonly StepError[] {
  const { currentRelease, account } = facts.installation
  const { user } = decideService(host, facts, cluster)
  if (currentRelease === undefined || account === undefined || account.user === user) return []
  // With root's rights they would run as before: `user` is not what changed.
  const lacksRoot =
    facts.uid !== 0 && decideService(host, { ...facts, uid: 0 }, cluster).user === account.user
  const [why, change] = lacksRoot
    ? [`the login ${facts.login} has no rights of root, so they would run as ${user}`, howToGetRoot(host)]
    : [`they would run as ${user}`, `Set the option \`user\` of the host back to ${account.user}`]
  return [
    new StepError({
      host: host.name,
      code: 'installed-as-other-user',
      message: `its components run as ${account.user}, who owns their logs and states, but ${why}`,
      fix: lacksRoot ? `${change}.` : reinstallFix(change),
    }),
  ]
}

const reinstallFix = (change: string): string =>
  `${change}. Or uninstall with the old value and install again: passwords, certificates and databases are kept.`
