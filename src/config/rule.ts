import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { ResolvedCluster } from './resolve/resolved.ts'

/** A check of the resolved configuration: pure, and independent of every other. */
export type Rule = (cluster: ResolvedCluster) => readonly Diagnostic[]
