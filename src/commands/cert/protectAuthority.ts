import { type Authority, encryptKey, isEncrypted, signingKey } from '../../certificates/authority.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { type ClusterState, withAuthority } from '../../deployment/state/clusterState.ts'
import { lockState } from '../../deployment/state/lockState.ts'
import { openState, readState, saveState } from '../../deployment/state/openState.ts'
import { authorityFiles } from '../../deployment/state/stateFiles.ts'
import { type StatePlace, stateFolder } from '../../deployment/state/statePlace.ts'
import type { Secret } from '../../secrets/secret.ts'
import { fileArguments, runOnFiles } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'

export const certProtectAuthorityCommand: Define = (made, world) =>
  runOnFiles(
    fileArguments(made)
      .option('--remove', 'remove the passphrase')
      .option('--passphrase-file <file>', 'file with the passphrase')
      .option('--passphrase-stdin', 'read the passphrase from standard input'),
    world,
    (options) =>
      protectAuthority({
        ...options,
        remove: flag(made, 'remove'),
        passphraseFile: made.opts<{ passphraseFile?: string }>().passphraseFile,
        passphraseStdin: flag(made, 'passphraseStdin'),
      }),
  )

/** Characters below which a passphrase can be tried out. */
const shortest = 12

/**
 * Encrypts the authority's key with a passphrase, or removes that. Runs that sign a certificate then ask for it.
 * Reaches no host.
 */
export async function protectAuthority(
  options: ClusterOptions & {
    readonly remove: boolean
    readonly passphraseFile: string | undefined
    readonly passphraseStdin: boolean
  },
): Promise<ExitCode> {
  const { context, remove } = options
  const { config } = await openCluster(options)
  // Checked before the user types a passphrase; taking the lock would create the folder.
  protectable((await readState(config))?.state, { place: config, remove })
  const passphrase = await readPassword({
    context,
    what: "the passphrase of the authority's key",
    options: {
      file: '--passphrase-file',
      stdin: '--passphrase-stdin',
      variable: 'MUSTER_AUTHORITY_PASSPHRASE',
    },
    file: options.passphraseFile,
    stdin: options.passphraseStdin,
    twice: !remove,
  })
  if (!remove && [...passphrase.reveal()].length < shortest) {
    throw new UsageError(
      'The passphrase is too short.',
      `Use ${shortest} characters or more: anyone with a copy of the key can try passphrases offline.`,
    )
  }
  const lock = await lockState(config, { now: context.now(), operation: 'cert protect-authority' })
  try {
    const { state } = await openState(config)
    const authority = protectable(state, { place: config, remove })
    const key = remove ? await opened(authority, passphrase) : encryptKey(authority.key, passphrase)
    const after = withAuthority(state, { certificate: authority.certificate, key })
    await saveState({ directory: config.directory, cluster: config.cluster, before: state, after })
  } finally {
    await lock.release()
  }
  const file = `${stateFolder(config)}/${authorityFiles.key}`
  context.stdout.write(
    remove
      ? `${file} is no longer protected\n`
      : `${file} is protected by the passphrase; without it no certificate can be signed\nCopies that were made before, such as backups, are not: muster install, muster cert renew and muster cert rotate-authority ask from now on when they must sign.\n`,
  )
  return exitCodes.ok
}

const opened = (authority: Authority, passphrase: Secret): Promise<Secret> =>
  signingKey({ ...authority, passphrase: async () => passphrase })

/** The authority whose protection can be changed so. Throws a `UsageError`. */
function protectable(
  state: ClusterState | undefined,
  { place, remove }: { readonly place: StatePlace; readonly remove: boolean },
): Authority {
  const authority = state?.authority
  if (authority === undefined) {
    throw new UsageError(
      `There is no authority in ${stateFolder(place)}.`,
      'Run `muster install` to create it, or `muster state import` to take over that of another operator.',
    )
  }
  if (state?.rotation !== undefined) {
    throw new UsageError(
      'The authority is being rotated.',
      remove
        ? 'Finish the rotation first: muster cert rotate-authority'
        : 'Finish the rotation with `muster cert rotate-authority`, then protect the new authority.',
    )
  }
  if (isEncrypted(authority.key) === remove) return authority
  throw new UsageError(
    remove ? "The authority's key is not protected." : "The authority's key is already protected.",
    remove ? 'There is nothing to do.' : 'To change the passphrase, remove it first: --remove',
  )
}
