import { fileDifference, writeFiles } from '../desiredFile.ts'
import { settingsDifference } from '../differences/settings.ts'
import type { HostFacts } from '../facts/model.ts'
import { change, type Step } from '../step.ts'
import type { DesiredComponent, Target } from '../target.ts'

/** One settings file per component. */
export function settingsStep(target: Target): Step {
  const files = target.components.map((component) => component.settingsFile)
  return {
    id: 'settings',
    title: 'write settings',
    phase: 'commit',
    atOnce: true,
    check: (facts) => {
      const details = target.components.flatMap((component) =>
        differences(facts, component, target.layout.root),
      )
      return details.length === 0 ? undefined : change('write settings', details)
    },
    apply: (transport) => writeFiles({ transport, facts: target.facts, files }),
  }
}

function differences(facts: HostFacts, desired: DesiredComponent, root: string): readonly string[] {
  const difference = fileDifference(facts, desired.settingsFile, root)
  if (difference === undefined) return []
  const before = facts.installation.settings.get(desired.component)
  const lines = before === undefined ? [] : settingsDifference(before, desired.settings)
  return lines.length === 0 ? [difference] : lines.map((line) => `${desired.component}: ${line}`)
}
