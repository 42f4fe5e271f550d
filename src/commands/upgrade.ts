import type { ExitCode } from '../cli/exitCodes.ts'
import { upgradeProblem } from '../deployment/releases/compatibility.ts'
import { releaseChangesText } from '../output/deployment/plan.ts'
import type { InstallDecision } from './decideInstall.ts'
import { type InstallOptions, install } from './install.ts'

/**
 * `muster upgrade`: installs this muster's own release, or the one of --release, where another one runs, one host ahead of the others.
 * Refuses as a whole where nothing is installed yet, or something newer is.
 */
export const upgrade = (options: Omit<InstallOptions, 'purpose'>): Promise<ExitCode> =>
  install({
    ...options,
    purpose: {
      operation: 'upgrade',
      bars: ({ host, facts }, { version, release }) => upgradeProblem({ host, facts, version, release }),
      notes: ({ planned }) => releaseChangesText(planned.map(moveOf)),
    },
  })

const moveOf = ({
  target,
}: InstallDecision['planned'][number]): Parameters<typeof releaseChangesText>[0][number] => ({
  host: target.host.name,
  from: target.facts.installation.currentRelease ?? 'nothing',
  to: target.release.id,
})
