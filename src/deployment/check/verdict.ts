import type { Remedy } from './remedy.ts'

/** What a check says of one host: a reason that goes on after the host's name, and where it is not ok the fix. */
export type Verdict =
  | { readonly result: 'ok'; readonly reason: string }
  | {
      readonly result: 'warning' | 'failure'
      readonly reason: string
      readonly fix: string
      /** Absent where only a person can mend it. */
      readonly remedy?: Remedy
    }

/** A verdict and the check that gave it. */
export type CheckResult = Verdict & { readonly check: string }

export const ok = (reason: string): readonly Verdict[] => [{ result: 'ok', reason }]

export const warning = (reason: string, fix: string, remedy?: Remedy): readonly Verdict[] => [
  { result: 'warning', reason, fix, ...(remedy === undefined ? {} : { remedy }) },
]

export const failure = (reason: string, fix: string): readonly Verdict[] => [
  { result: 'failure', reason, fix },
]

/** Failures for what an installation would refuse, or that all is well. */
export const failures = (
  problems: readonly { readonly message: string; readonly fix: string }[],
  otherwise: readonly Verdict[],
): readonly Verdict[] =>
  problems.length === 0 ? otherwise : problems.flatMap(({ message, fix }) => failure(message, fix))
