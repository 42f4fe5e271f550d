import { quote } from '../../base/shellWords.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { allPlaces } from '../installedAccount.ts'
import type { ServiceData } from '../layout.ts'
import { obsoleteComponents } from '../obsoleteComponents.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { asService } from '../serviceAccount.ts'
import { copyData, movedFrom, removeData } from '../services/moveData.ts'
import { change, deletion, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/**
 * Copies the components' data to its new place before any file refers to it, so that a host that loses power
 * meanwhile starts with all its users. The start of the components copies later changes.
 */
export function dataStep(target: StepTarget): Step {
  const { data, service } = target
  const from = movedFrom(target)
  const title = `copy the components’ data to ${data.state}`
  return {
    id: 'data',
    title,
    phase: 'commit',
    check: () => (from === undefined ? undefined : change(title, [`from ${from.folders.join(', ')}`])),
    apply: async (transport) => {
      if (from === undefined) return
      await runOrThrow(transport, {
        doing: `copying ${from.state} to ${data.state}`,
        fix: `Free disk space for ${data.state}, then install again.`,
        script: copyData({ from, to: data, account: service }),
      })
    },
  }
}

/**
 * Removes the data of obsolete components, and what the components left in the places of other service managers, after
 * verification; also what an interrupted run left there. Where nothing was started yet, such a place is of somebody else.
 */
export function oldDataStep(target: StepTarget): Step {
  const { data, service, facts: now } = target
  const hasStarted = now.installation.account !== undefined
  const isPresent = (folder: string): boolean => data.folders.includes(folder)
  const former = hasStarted ? allPlaces(target).filter(({ folders }) => !folders.some(isPresent)) : []
  const existing = (place: ServiceData, { installation }: HostFacts): readonly string[] =>
    place.folders.filter((folder) => installation.directories.has(folder))
  const obsoleteFiles = (facts: HostFacts): readonly string[] =>
    obsoleteComponents(target, facts).flatMap((component) => data.stateFiles(component))
  return {
    id: 'old-data',
    title: 'remove old data',
    phase: 'verify',
    check: (facts) => {
      const folders = new Set(former.flatMap((place) => existing(place, facts)))
      const paths = [...folders, ...obsoleteFiles(facts)]
      return paths.length === 0 ? undefined : deletion('remove old data', paths)
    },
    apply: async (transport, facts) => {
      const left = former.filter((place) => existing(place, facts).length > 0)
      await runOrThrow(transport, {
        doing: 'removing old data',
        fix: 'Fix the problem reported above, then install again.',
        script: `set -e
cd /
${left.map((place) => removeData(place, service)).join('\n')}
${obsoleteFiles(facts)
  .map((path) => `${asService(service)}rm -f ${quote(path)}`)
  .join('\n')}`,
      })
    },
  }
}
