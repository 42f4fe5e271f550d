import { passwordProblems } from '../../contracts/password.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { passwordWeakness } from '../passwordWeakness.ts'
import { bySpan } from '../resolve/bySpan.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

function judge(host: ResolvedHost): { span: Span; finding: Diagnostic }[] {
  const { value, given } = host.option(options.adminPass)
  if (given === undefined) return []
  const name = given.spelling
  const place = { span: given.span }
  const user = host.option(options.adminUser)
  if (user.given === undefined) {
    return [{ ...place, finding: diagnose('password-without-user', { name }, { span: given.keySpan }) }]
  }
  if (value?.kind !== 'literal') return []
  const text = value.value.reveal()
  const problems = passwordProblems(text)
  if (problems.length > 0) return [{ ...place, finding: diagnose('bad-password', { name, problems }, place) }]
  const weakness = passwordWeakness(text, user.value)
  if (weakness === undefined) return []
  const code = weakness.known ? 'default-password' : 'weak-password'
  return [{ ...place, finding: diagnose(code, { name, reason: weakness.reason }, place) }]
}

/** A password without a user, one that no host would take, and one that anybody could guess. */
export const adminPassword = ({ hosts }: ResolvedCluster): readonly Diagnostic[] =>
  bySpan(hosts.flatMap(judge)).map(([{ finding }]) => finding)
