import { resolve } from 'node:path'
import type { CommandContext } from '../../cli/context.ts'
import type { ResolvedCluster } from '../../config/resolve/resolved.ts'
import { hookPrograms } from '../../config/settings/hooks.ts'
import { givenFor, valueFor } from '../../config/shape/draft.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { findProgram, hasLinkBelow } from '../../processes/findProgram.ts'
import { isBelow, type SecretPolicy } from '../../secrets/policy.ts'

const hookNotRunnable = finding(
  'hook-not-runnable',
  (facts: { name: string; program: string; problem: string; fix: string }) => ({
    message: `The program ${facts.program} of ${facts.name} ${facts.problem}.`,
    why: 'A run that changes hosts would stop here, or end with a warning.',
    fix: facts.fix,
  }),
)

/**
 * Finds programs of hooks that a run would refuse. With the policy `safe` only those below the folder of the YAML file
 * are looked at, and no link is followed: a stranger's file must not learn what there is on this machine.
 */
export function hookFindings(
  { draft, paths }: Pick<ResolvedCluster, 'draft' | 'paths'>,
  { context, policy }: { readonly context: Pick<CommandContext, 'env'>; readonly policy: SecretPolicy },
): readonly Diagnostic[] {
  return hookPrograms.flatMap((setting) => {
    const given = givenFor(draft.hooks, setting)
    const command = valueFor(draft.hooks, setting)
    if (given === undefined || command === undefined) return []
    const [program] = command
    const cwd = paths.directories.get(given.span.file) ?? paths.fallback
    const path = resolve(cwd, program)
    const isNear = program.includes('/') && isBelow(path, cwd)
    if (policy === 'safe' && (!isNear || hasLinkBelow(cwd, path))) return []
    const found = findProgram(program, { cwd, env: context.env })
    if ('path' in found) return []
    const facts = { name: setting.name, program, ...found }
    return [hookNotRunnable(facts, { span: given.span })]
  })
}
