import type { Component } from '../../contracts/component.ts'
import { fileDifference, writeFiles } from '../desiredFile.ts'
import {
  changeLines,
  type KnownChange,
  mergeKnown,
  optionChangeText,
  settingsDifference,
} from '../differences.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { type SettingsChange, type Step, writing } from '../step.ts'
import type { DesiredComponent, StepTarget } from '../target.ts'

/** Writes one settings file per component. */
export function settingsStep(target: StepTarget): Step {
  const files = target.components.map((component) => component.settingsFile)
  return {
    id: 'settings',
    title: 'write settings',
    phase: 'commit',
    batchable: true,
    check: (facts) => {
      const all = target.components.map((component) => differences(facts, component, target.layout.root))
      const own = mergeEqual(all.flatMap((one) => one.own))
      const known = mergeKnown(all.flatMap((one) => one.known))
      if (own.length === 0 && known.length === 0) return undefined
      const details = changeLines(
        own.map(({ line }) => line),
        known,
      )
      return { ...writing('write settings', details), settings: { own, known } }
    },
    apply: (transport, facts) => writeFiles({ transport, facts, files }),
  }
}

/** Line of one component's difference; `change` is the same without the component, `file` is true for a whole file. */
type Difference = { readonly component: Component; readonly change: string; readonly file?: true }

function differences(
  facts: HostFacts,
  desired: DesiredComponent,
  root: string,
): { readonly own: readonly Difference[]; readonly known: readonly KnownChange[] } {
  const difference = fileDifference(facts, desired.settingsFile, root)
  if (difference === undefined) return { own: [], known: [] }
  const { component } = desired
  const { own, known } = settingsDifference(facts.installation.settings.get(component), desired.settings)
  if (own.length === 0 && known.length === 0) {
    return { own: [{ component, change: difference, file: true }], known: [] }
  }
  return { own: own.map((one) => ({ component, change: optionChangeText(one) })), known }
}

/** Merges lines that are equal for all components; lines of one component name it unless the option does. */
function mergeEqual(differences: readonly Difference[]): SettingsChange['own'] {
  const lines = new Map<string, readonly Component[]>()
  for (const { component, change } of differences)
    lines.set(change, [...(lines.get(change) ?? []), component])
  return [...lines].map(([change, of]) => {
    const isFileLine = differences.some((one) => one.change === change && one.file === true)
    const named = isFileLine || of.some((component) => change.startsWith(`${component}-`))
    return { change, line: named ? change : `${of.join(', ')}: ${change}` }
  })
}
