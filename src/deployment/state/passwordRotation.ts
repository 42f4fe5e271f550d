import { type Hasher, passwordMark, saltBytes } from '../../accounts/passwordHash.ts'
import type { Secret } from '../../secrets/secret.ts'
import { type ClusterState, type ReplacedPassword, type UserState, withUser } from './clusterState.ts'

/** Input of a rotation. */
type RotationRequest = {
  /** Entry of the user in the state directory. */
  readonly known: UserState | undefined
  /** Passwords that the file gives for hosts, if it names a source. */
  readonly given: readonly Secret[]
  /** Value of --new-password. */
  readonly chosen: Secret | undefined
}

/** Decision about the password: an interrupted rotation continues, or a new password is generated or taken. */
type RotationChoice =
  | { readonly kind: 'continue'; readonly known: UserState; readonly password: Secret }
  | { readonly kind: 'generate' }
  | { readonly kind: 'use'; readonly password: Secret }
  | { readonly kind: 'refuse'; readonly message: string; readonly fix: string }

export function chooseNewPassword(user: string, { known, given, chosen }: RotationRequest): RotationChoice {
  const kept = known?.password
  const continues = known?.pending !== undefined && (chosen === undefined || kept?.equals(chosen) === true)
  if (continues && kept !== undefined) return { kind: 'continue', known, password: kept }
  if (chosen === undefined) {
    if (given.length === 0) return { kind: 'generate' }
    return {
      kind: 'refuse',
      message: `The file reads the password of ${user} from a source that muster cannot change.`,
      fix: 'Use --new-password FILE, or --new-password - for standard input, and update the source that the file names.',
    }
  }
  const current = kept === undefined ? given : [...given, kept]
  if (!current.some((one) => one.equals(chosen))) return { kind: 'use', password: chosen }
  return {
    kind: 'refuse',
    message: `The new password of ${user} is the same as the current one.`,
    fix: 'Choose another one, or run `muster users apply` to apply the current one to the hosts.',
  }
}

/** Number of replaced passwords that are recognized, so that a long outdated file is still noticed. */
const maxReplaced = 5

/**
 * Returns the state of a user from the beginning of a rotation: it holds the new password and all that a host may
 * still have. The caller saves it before the first host is changed. `old` is the file's password, if any. Takes a new
 * salt if the old one would mark both passwords alike.
 */
export async function beginRotation(
  known: UserState,
  options: {
    readonly password: Secret
    readonly old?: readonly Secret[]
    readonly now: Date
    readonly random: (size: number) => Buffer
    readonly hash: Hasher
  },
): Promise<UserState> {
  const { password, old = [], now, random, hash } = options
  const candidates = [...old, known.password, ...(known.pending ?? [])].flatMap((one) => one ?? [])
  const pending = candidates.filter(
    (one, index) => !one.equals(password) && candidates.findIndex((other) => other.equals(one)) === index,
  )
  let { salt } = known
  for (;;) {
    const mark = await passwordMark(hash, password, salt)
    const marks = await Promise.all(pending.map((one) => passwordMark(hash, one, salt)))
    if (!marks.includes(mark)) {
      const fresh = [...new Set(marks)].map((one): ReplacedPassword => ({ at: now.toISOString(), mark: one }))
      const before = salt === known.salt ? (known.replaced ?? []) : []
      // A password that is in use again is no longer a replaced one.
      const others = before.filter((one) => one.mark !== mark && !marks.includes(one.mark))
      const replaced = [...fresh, ...others].slice(0, maxReplaced)
      return { salt, password, pending, ...(replaced.length > 0 && { replaced }) }
    }
    salt = random(saltBytes)
  }
}

/**
 * Returns the state after every host is verified to have the new password; `given` if the file gives it everywhere.
 * Otherwise it is kept, even if the file has a source for it, which has yet to be updated.
 */
export function endRotation(known: UserState, { given }: { readonly given: boolean }): UserState {
  const { pending: _, password, ...rest } = known
  return given || password === undefined ? rest : { ...rest, password }
}

/**
 * Returns the date (UTC) on which a password in the file was replaced; undefined if it was not. Costs a scrypt if a
 * password of the user was ever replaced.
 */
export async function replacementDate(
  known: UserState | undefined,
  given: Secret,
  hash: Hasher,
): Promise<string | undefined> {
  if (known?.replaced === undefined || known.password?.equals(given) === true) return undefined
  const mark = await passwordMark(hash, given, known.salt)
  return known.replaced.find((one) => one.mark === mark)?.at.slice(0, 10)
}

/**
 * Returns the state after every host is verified: ends rotations, and drops passwords that the file gives everywhere.
 * `given` says for which users it does.
 */
export const afterVerifiedRun = (
  state: ClusterState,
  users: readonly { readonly user: string; readonly given: boolean }[],
): ClusterState =>
  users.reduce((kept, { user, given }) => {
    const known = kept.users.get(user)
    return known === undefined ? kept : withUser(kept, user, endRotation(known, { given }))
  }, state)
