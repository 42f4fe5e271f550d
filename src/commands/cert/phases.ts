import { type Survey, surveyAgain } from '../../deployment/survey.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import type { Run } from '../../session/inRun.ts'
import { namesOf } from '../../session/selectTargets.ts'
import type { CertificateRun } from './spreadCertificates.ts'

/** A run of several phases, each in an order of its own. */
export type PhasedRun = Omit<CertificateRun, 'rollout'>

/** The facts of the hosts as the phase before left them. */
export async function surveyedAgain(
  { context, config, json, run }: PhasedRun,
  survey: Survey,
): Promise<Survey> {
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  return surveyAgain(config, { survey, emit: renderer.emit }).finally(() => renderer.end())
}

/** Tells how a run of several phases ended. */
export async function tellLast({ context, config, json, run }: PhasedRun, message: string): Promise<void> {
  if (!json) {
    context.stdout.write(`\n${message}\n`)
    return
  }
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  renderer.emit({ type: 'notice', message })
  await renderer.end()
}

/** A run of several phases begins once. */
export function beginningOnce(run: Run): Run {
  let begun: Promise<void> | undefined
  return {
    ...run,
    begin: () => {
      begun ??= run.begin()
      return begun
    },
  }
}
