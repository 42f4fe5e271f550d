import { type StoreProblem, storeProblem, tellStoreProblem } from '../../certificates/storeProblem.ts'
import { bySpan } from '../../config/resolve/resolved.ts'
import type { Place } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/** What is wrong with a store of one host, and where that is to be changed. */
export type StoreFound = { readonly problem: StoreProblem; readonly place: Place; readonly host: string }

/** Which findings of one place say the same, whatever names of a host a certificate lacks. */
function saying({ code, facts }: StoreProblem): string {
  const { missing: _, ...same } = { missing: undefined, ...facts }
  return JSON.stringify([code, same])
}

/** The same finding of several hosts as one: names that any of them lacks are lacking. */
function joined([first, ...others]: readonly [StoreFound, ...StoreFound[]]): StoreProblem {
  const { problem } = first
  if (problem.code !== 'keystore-names-do-not-cover' && problem.code !== 'keystore-names-partly-cover') {
    return problem
  }
  const all = [first, ...others].flatMap(({ problem: { facts } }) =>
    'missing' in facts ? facts.missing : [],
  )
  return storeProblem(problem.code, { ...problem.facts, missing: [...new Set(all)] })
}

/** One finding for what is said of a place, naming every host that it is for. */
export function toldOnce(found: readonly StoreFound[]): readonly Diagnostic[] {
  return bySpan(found.map((one) => ({ ...one, span: one.place.span }))).flatMap((there) => {
    const groups = new Map<string, [StoreFound, ...StoreFound[]]>()
    for (const one of there) {
      const group = groups.get(saying(one.problem))
      if (group === undefined) groups.set(saying(one.problem), [one])
      else group.push(one)
    }
    return [...groups.values()].map((group) => {
      const hosts = [...new Set(group.map(({ host }) => host))]
      return { ...tellStoreProblem(joined(group), hosts), ...group[0].place }
    })
  })
}
