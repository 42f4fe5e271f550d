import type { Secret } from '../../secrets/secret.ts'
import type { UserState } from '../state/clusterState.ts'

/** What a rotation is asked to do, and what it knows. */
export type RotationRequest = {
  /** What the state directory knows of the user. */
  readonly known: UserState | undefined
  /** What the file gives on hosts, where it names a source. */
  readonly given: readonly Secret[]
  /** Of --new-password. */
  readonly chosen: Secret | undefined
}

/** What is to become of the password: a rotation that had begun goes on, or a new password is made or taken. */
export type RotationChoice =
  | { readonly kind: 'go-on'; readonly known: UserState; readonly password: Secret }
  | { readonly kind: 'make' }
  | { readonly kind: 'take'; readonly password: Secret }
  | { readonly kind: 'refuse'; readonly message: string; readonly fix: string }

/** Decides which password a user is to get. */
export function chooseNewPassword(user: string, { known, given, chosen }: RotationRequest): RotationChoice {
  const kept = known?.password
  const goesOn = known?.pending !== undefined && (chosen === undefined || kept?.equals(chosen) === true)
  if (goesOn && kept !== undefined) return { kind: 'go-on', known, password: kept }
  if (chosen === undefined) {
    if (given.length === 0) return { kind: 'make' }
    return {
      kind: 'refuse',
      message: `The file reads the password of ${user} from a source that muster cannot change.`,
      fix: 'Use --new-password FILE, or --new-password - for standard input, and update the source that the file names.',
    }
  }
  const current = kept === undefined ? given : [...given, kept]
  if (!current.some((one) => one.equals(chosen))) return { kind: 'take', password: chosen }
  return {
    kind: 'refuse',
    message: `The new password of ${user} is the same as the current one.`,
    fix: 'Choose another one, or run `muster users apply` to apply the current one to the hosts.',
  }
}
