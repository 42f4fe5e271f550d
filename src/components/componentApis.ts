import type { ComponentApi } from '../api/serve.ts'
import type { Component } from '../contracts/component.ts'
import { connector } from './connector/connector.ts'
import { manager } from './manager/manager.ts'
import { replicator } from './replicator/replicator.ts'

/** The API of each component where its settings name nothing that it works on; `openComponent` gives the others. */
export const componentApis: Readonly<Record<Component, ComponentApi>> = { manager, connector, replicator }
