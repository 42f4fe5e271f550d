import { type Define, flag } from '../cli/command.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { carefully } from '../deployment/execution/rollout.ts'
import { notUpgradable } from '../deployment/releases/compatibility.ts'
import { releaseChangesText } from '../output/deployment/plan.ts'
import { passphraseOptions, runOnFiles } from '../session/clusterOptions.ts'
import type { InstallDecision } from '../session/install/decideInstall.ts'
import { rolloutGiven, rolloutOptions } from '../session/rolloutOptions.ts'
import {
  changeFlags,
  changeOptions,
  keepFailedOption,
  planGiven,
  planOption,
  releaseGiven,
  releaseOption,
  runtimeFileGiven,
  runtimeFileOption,
} from '../session/runOptions.ts'
import { type InstallOptions, install } from './install.ts'

export const upgradeCommand: Define = (made, world) => {
  changeOptions(made)
  passphraseOptions(made)
  runtimeFileOption(made)
  releaseOption(made)
  keepFailedOption(made)
  rolloutOptions(made, carefully)
  planOption(made)
  return runOnFiles(made, world, (options) =>
    upgrade({
      ...options,
      ...changeFlags(made),
      rollout: rolloutGiven(made, carefully),
      runtimeFile: runtimeFileGiven(made),
      release: releaseGiven(made),
      plan: planGiven(made),
      replaced: [],
      keepFailed: flag(made, 'keepFailed'),
    }),
  )
}

/**
 * Installs this muster's own release, or that of --release, on hosts with another one, one host first. Refuses if a
 * host has nothing installed, or a newer release.
 */
export const upgrade = (options: Omit<InstallOptions, 'purpose'>): Promise<ExitCode> =>
  install({
    ...options,
    purpose: {
      operation: 'upgrade',
      bars: ({ host, facts }, { version, release }) => notUpgradable({ host, facts, version, release }),
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
