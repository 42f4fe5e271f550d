import type { Component } from '../component.ts'
import { commonExamples } from './commonExamples.ts'
import { connectorExamples } from './connectorExamples.ts'
import type { CallExample } from './examplesOf.ts'
import { managerExamples } from './managerExamples.ts'
import { replicatorExamples } from './replicatorExamples.ts'

const own: Readonly<Record<Component, Readonly<Record<string, CallExample>>>> = {
  manager: managerExamples,
  connector: connectorExamples,
  replicator: replicatorExamples,
}

/** The examples of a component's calls, by the names of their routes. */
export const callExamples = (component: Component): Readonly<Record<string, CallExample>> => ({
  ...commonExamples(component),
  ...own[component],
})
