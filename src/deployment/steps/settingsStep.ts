import type { Component } from '../../contracts/component.ts'
import { fileDifference, writeFiles } from '../desiredFile.ts'
import { settingsDifference } from '../differences.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { type Step, writing } from '../step.ts'
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
      const details = mergeEqual(
        target.components.flatMap((component) => differences(facts, component, target.layout.root)),
      )
      return details.length === 0 ? undefined : writing('write settings', details)
    },
    apply: (transport, facts) => writeFiles({ transport, facts, files }),
  }
}

/** Difference in one component's settings; `file` if it concerns the whole file. */
type Difference = { readonly component: Component; readonly line: string; readonly file?: true }

function differences(facts: HostFacts, desired: DesiredComponent, root: string): readonly Difference[] {
  const difference = fileDifference(facts, desired.settingsFile, root)
  if (difference === undefined) return []
  const { component } = desired
  const lines = settingsDifference(facts.installation.settings.get(component), desired.settings)
  if (lines.length === 0) return [{ component, line: difference, file: true }]
  return lines.map((line) => ({ component, line }))
}

/** Merges lines that are equal for all components; lines of one component name it unless the option does. */
function mergeEqual(differences: readonly Difference[]): readonly string[] {
  const lines = new Map<string, readonly Component[]>()
  for (const { component, line } of differences) lines.set(line, [...(lines.get(line) ?? []), component])
  return [...lines].map(([line, of]) => {
    const isFileLine = differences.some((one) => one.line === line && one.file === true)
    return isFileLine || of.some((component) => line.startsWith(`${component}-`))
      ? line
      : `${of.join(', ')}: ${line}`
  })
}
