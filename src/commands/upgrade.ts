import type { ExitCode } from '../cli/exitCodes.ts'
import { canaryThenBatches } from '../deployment/execution/rollout.ts'
import { upgradeProblem } from '../deployment/releases/compatibility.ts'
import { releaseChangesText } from '../output/deployment/plan.ts'
import type { InstallDecision } from '../session/install/decideInstall.ts'
import { type InstallOptions, install, installDefinition } from './install.ts'

export const upgradeCommand = installDefinition({
  rollout: canaryThenBatches,
  brings: false,
  run: (options) => upgrade(options),
})

/**
 * Installs this muster's own release, or that of --release, on hosts with another one, one host first. Refuses if a
 * host has nothing installed, or a newer release.
 */
export const upgrade = (options: Omit<InstallOptions, 'purpose'>): Promise<ExitCode> =>
  install({
    ...options,
    purpose: {
      operation: 'upgrade',
      extraCheck: ({ host, facts }, { version, release }) =>
        upgradeProblem({ host, facts, version, release }),
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
