import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { ResolvedCluster } from './resolve/resolved.ts'

/** Checks the resolved configuration; pure, and independent of other rules. */
export type Rule = (cluster: ResolvedCluster) => readonly Diagnostic[]
