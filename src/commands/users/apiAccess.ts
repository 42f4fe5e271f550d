import { resolve } from 'node:path'
import type { CommandContext } from '../../cli/context.ts'
import { readLoginUser } from '../../cli/optionValues.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { readPassword } from '../../cli/readPassword.ts'
import type { ThisMachine } from '../../cli/thisMachine.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { Credentials } from '../../client/credentials.ts'
import { isReadableAuthority } from '../../client/endpoint.ts'
import type { HostConfig } from '../../config/model.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { type StatePlace, stateFolder } from '../../deployment/state/statePlace.ts'

/** How a command that has no SSH gets in: as the command line says it. */
export type ApiAccessOptions = {
  /** File of the authority to trust, instead of the state's own. */
  readonly cacert: string | undefined
  /** A user of the hosts, for where no known password is taken. */
  readonly login: string | undefined
  readonly loginPasswordFile: string | undefined
  readonly loginPasswordStdin: boolean
}

const loginWays = {
  file: '--login-password-file',
  stdin: '--login-password-stdin',
  variable: 'MUSTER_LOGIN_PASSWORD',
}

/** The operator's own login; undefined without --login. Throws a `UsageError`, or `Interrupted`. */
export async function readOwnLogin(
  context: CommandContext,
  options: ApiAccessOptions,
): Promise<Credentials | undefined> {
  const { login, loginPasswordFile: file, loginPasswordStdin: stdin } = options
  if (login === undefined) {
    if (file === undefined && !stdin) return undefined
    throw new UsageError(
      `${file === undefined ? loginWays.stdin : loginWays.file} is given, and no user to log in as.`,
      'Name the user with --login USER.',
    )
  }
  const user = readLoginUser(login)
  const password = await readPassword({
    context,
    what: `the password of ${user}`,
    options: loginWays,
    file,
    stdin,
  })
  return { user, password }
}

/** The authorities that a call trusts: --cacert, else the state's own. Throws a `UsageError` without either. */
export async function readTrust(
  context: CommandContext,
  options: { readonly cacert: string | undefined; readonly state: ClusterState; readonly place: StatePlace },
): Promise<readonly string[]> {
  const { cacert, state, place } = options
  if (cacert === undefined) {
    if (state.authority !== undefined) return [state.authority.certificate]
    throw new UsageError(
      `The authority of the certificates of the hosts is unknown: ${stateFolder(place)} has none.`,
      'Name its certificate with --cacert FILE; no server is trusted without it.',
    )
  }
  const path = resolve(context.cwd, cacert)
  const { text } = await readInputFile({ path, what: 'The authority of --cacert' })
  if (isReadableAuthority(text)) return [text]
  throw new UsageError(
    `${path} contains no readable PEM certificate.`,
    'Use --cacert with the certificate of the authority, a file with a BEGIN CERTIFICATE line.',
  )
}

/** Whether a host is the machine that the command runs on, so that its loopback addresses can be called. */
export function isHere(host: HostConfig, { name, addresses }: ThisMachine): boolean {
  if ((host.via ?? host.connection) === 'local' || addresses.includes(host.address)) return true
  return [host.name, host.address].some((one) => one.toLowerCase() === name.toLowerCase())
}
