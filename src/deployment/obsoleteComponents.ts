import { type Component, components } from '../contracts/component.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import type { StepTarget } from './target.ts'

/** Returns components that are installed on a host but no longer in its file. */
export function obsoleteComponents(
  { components: wanted, layout }: Pick<StepTarget, 'components' | 'layout'>,
  facts: HostFacts,
): readonly Component[] {
  const names = wanted.map(({ component }) => component)
  return components.filter(
    (component) => !names.includes(component) && facts.installation.files.has(layout.settings(component)),
  )
}
