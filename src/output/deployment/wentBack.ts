import type { HostFacts } from '../../deployment/facts/hostFacts.ts'
import type { SurveyedHost } from '../../deployment/survey.ts'

/** Names the hosts that went back by themselves and were not installed since. */
export const wentBackNotes = (reached: readonly SurveyedHost<HostFacts>[]): readonly string[] =>
  reached.flatMap(({ host, facts }) => {
    const { wentBack } = facts.installation
    return wentBack === undefined
      ? []
      : [
          `${host.name} went back by itself at ${wentBack.at}: the run ${wentBack.run} did not confirm it in time`,
        ]
  })
