import { type Component, components } from '../contracts/component.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import type { Target } from './target.ts'

/** Components that a host has and its file no longer gives it. */
export function obsoleteComponents(
  { components: wanted, layout }: Pick<Target, 'components' | 'layout'>,
  facts: HostFacts,
): readonly Component[] {
  const names = wanted.map(({ component }) => component)
  return components.filter(
    (component) => !names.includes(component) && facts.installation.files.has(layout.settings(component)),
  )
}
