import { isEncrypted } from '../certificates/authority.ts'
import type { CommandContext } from '../cli/context.ts'
import { readPassword } from '../cli/readPassword.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import type { Secret } from '../secrets/secret.ts'

/** Sources of the passphrase of the authority's key. */
export type PassphraseOptions = {
  readonly authorityPassphraseFile?: string | undefined
  readonly authorityPassphraseStdin?: boolean | undefined
}

/** Reads the passphrase of the authority's key. Throws a `UsageError`, or `Interrupted`. */
const readAuthorityPassphrase = (context: CommandContext, options: PassphraseOptions): Promise<Secret> =>
  readPassword({
    context,
    what: "the passphrase of the authority's key",
    options: {
      file: '--authority-passphrase-file',
      stdin: '--authority-passphrase-stdin',
      variable: 'MUSTER_AUTHORITY_PASSPHRASE',
    },
    file: options.authorityPassphraseFile,
    stdin: options.authorityPassphraseStdin,
  })

/**
 * Returns the state with an authority that asks for its passphrase when something must be signed, and only once; the
 * next authority of a rotation has the same one.
 */
export function withPassphrasePrompt(
  state: ClusterState,
  { context, ...options }: PassphraseOptions & { readonly context: CommandContext },
): ClusterState {
  const { authority, rotation } = state
  if (authority === undefined || !isEncrypted(authority.key) || authority.passphrase !== undefined)
    return state
  let asked: Promise<Secret> | undefined
  const passphrase = (): Promise<Secret> => {
    asked ??= readAuthorityPassphrase(context, options)
    return asked
  }
  const asking = { ...state, authority: { ...authority, passphrase } }
  if (rotation?.phase !== 'trust') return asking
  return { ...asking, rotation: { ...rotation, next: { ...rotation.next, passphrase } } }
}
