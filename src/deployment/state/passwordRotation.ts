import { type Hasher, passwordMark, saltBytes } from '../../accounts/passwordHash.ts'
import type { Secret } from '../../secrets/secret.ts'
import { type ClusterState, type ReplacedPassword, type UserState, withUser } from './clusterState.ts'

/** What a rotation is asked to do, and what it knows. */
type RotationRequest = {
  /** What the state directory knows of the user. */
  readonly known: UserState | undefined
  /** What the file gives on hosts, where it names a source. */
  readonly given: readonly Secret[]
  /** Of --new-password. */
  readonly chosen: Secret | undefined
}

/** What is to become of the password: a rotation that had begun goes on, or a new password is made or taken. */
type RotationChoice =
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

/** Replaced passwords that are remembered, so that a file that was forgotten for long is still noticed. */
const remembered = 5

/**
 * The state of a user from the moment when a new password begins to go to the hosts: it knows the new one and all
 * that a host may still have. Save it before the first host is changed. `old` is what the file gives, where it gives
 * any. A new salt is taken where the old one would mark both passwords alike.
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
      // A password that was in use before and is so again is no replaced one.
      const others = before.filter((one) => one.mark !== mark && !marks.includes(one.mark))
      const replaced = [...fresh, ...others].slice(0, remembered)
      return { salt, password, pending, ...(replaced.length > 0 && { replaced }) }
    }
    salt = random(saltBytes)
  }
}

/**
 * The state once every host is proved to have the new password; `given` where the file gives it everywhere. Until then
 * it is kept, also where the file has a source for it: that has yet to follow.
 */
export function endRotation(known: UserState, { given }: { readonly given: boolean }): UserState {
  const { pending: _, password, ...rest } = known
  return given || password === undefined ? rest : { ...rest, password }
}

/** Whether a rotation of the user has not been proved on every host yet. */
export const isRotating = (known: UserState | undefined): boolean => known?.pending !== undefined

/**
 * When the password that a file gives was replaced, as a date (UTC); undefined where it was not. Costs a scrypt, and
 * only where a password of the user was ever replaced.
 */
export async function replacedOn(
  known: UserState | undefined,
  given: Secret,
  hash: Hasher,
): Promise<string | undefined> {
  if (known?.replaced === undefined || known.password?.equals(given) === true) return undefined
  const mark = await passwordMark(hash, given, known.salt)
  return known.replaced.find((one) => one.mark === mark)?.at.slice(0, 10)
}

/**
 * The state when every host of the file is proved to have what the file says: no rotation is under way any more, and
 * a password that the file gives everywhere is not kept. `given` tells of which users it does.
 */
export const settled = (
  state: ClusterState,
  users: readonly { readonly user: string; readonly given: boolean }[],
): ClusterState =>
  users.reduce((kept, { user, given }) => {
    const known = kept.users.get(user)
    return known === undefined ? kept : withUser(kept, user, endRotation(known, { given }))
  }, state)
