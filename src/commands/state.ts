import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { readPassword } from '../cli/readPassword.ts'
import { readState } from '../deployment/state/openState.ts'
import type { Secret } from '../secrets/secret.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { recordSeen } from './recordSeen.ts'
import { stateExport } from './stateExport.ts'
import { stateImport } from './stateImport.ts'

/** `muster state export|import`: carries the state directory to another operator, sealed by a passphrase. */
export async function state(
  options: ClusterOptions & {
    readonly operation: 'export' | 'import'
    /** The archive's path. */
    readonly archive: string
    readonly passphraseFile: string | undefined
    readonly passphraseStdin: boolean
  },
): Promise<ExitCode> {
  const { context, operation, archive } = options
  const { config } = await openCluster(options)
  const place = { context, directory: config.directory, cluster: config.cluster }
  const passphrase = await readPassphrase(options)
  if (operation === 'export') return stateExport({ ...place, out: archive, passphrase })
  const code = await stateImport({ ...place, from: archive, passphrase })
  const imported = code === exitCodes.ok ? await readState(place) : undefined
  if (imported === undefined) return code
  const seen = { installed: config.hosts.map(({ name }) => name), gone: [] }
  await recordSeen({ context, config, state: imported.state, seen })
  return code
}

const readPassphrase = (options: {
  readonly context: ClusterOptions['context']
  readonly operation: 'export' | 'import'
  readonly passphraseFile: string | undefined
  readonly passphraseStdin: boolean
}): Promise<Secret> =>
  readPassword({
    context: options.context,
    what: 'the passphrase of the archive',
    options: {
      file: '--passphrase-file',
      stdin: '--passphrase-stdin',
      variable: 'MUSTER_STATE_PASSPHRASE',
    },
    file: options.passphraseFile,
    stdin: options.passphraseStdin,
    twice: options.operation === 'export',
  })
