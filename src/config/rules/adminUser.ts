import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'
import { badUserName, namingProblems } from '../userName.ts'

/** Finds characters that a user name must not have (specification section 5.5), each by its name. */
export function adminUser({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const items = hosts.flatMap((host) => {
    const { value, given } = host.option(options.adminUser)
    const problems = value === undefined ? [] : namingProblems(value)
    return given === undefined || problems.length === 0 ? [] : [{ span: given.span, problems }]
  })
  return groupBySpan(items).map(([{ span, problems }]) =>
    badUserName({ name: options.adminUser.name, problems }, { span }),
  )
}
