import { quote } from '../../base/shellWords.ts'
import { configuredReadOnlyScript } from '../configuredReadOnly.ts'
import type { Installation } from '../installedAccount.ts'
import { changeableFunction, requireTrustedRoot } from '../trustedFolder.ts'
import { identity, sharedFunctions } from './parts/common.ts'
import {
  files,
  installed,
  previousInstallation,
  releases,
  runningServices,
  services,
  userGroup,
  users,
} from './parts/installation.ts'
import { fileSystem, listeners, system } from './parts/system.ts'

/** Arguments of the facts script. */
export type FactsRequest = Installation & {
  /** Previous install-directory of the host, if it differs. */
  readonly previousFolder?: string
  /** System user in the file. */
  readonly user?: string
  /** Paths of stores that the configuration names with `host:`. */
  readonly hostStores: readonly string[]
  /** Port of the host's own MariaDB; absent: what that starts with is not read. */
  readonly mariadbPort?: number
}

/** Maximum number of bytes read from a store on a host. */
const maxStoreBytes = 8 * 1024 * 1024

const prologue = (request: Installation, nonce: string): readonly string[] => [
  sharedFunctions(nonce),
  `root=${quote(request.layout.root)}`,
  identity,
  changeableFunction,
  // Nothing is read from a folder that others could replace.
  requireTrustedRoot('say untrusted "$found"; exit 0'),
  'say uid "$me"',
]

/**
 * Returns a POSIX sh script that reads all facts in one round trip and changes nothing. It starts few programs, since
 * each costs a host about 2 ms, and reads files with the shell itself where possible. It lists only folders that only
 * root can write to, and reads files of the service user as that user.
 */
export const factsScript = (request: FactsRequest, nonce: string): string =>
  [
    ...prologue(request, nonce),
    system,
    fileSystem,
    installed(request),
    users(request),
    userGroup(request.cluster, request.user),
    ...(request.previousFolder === undefined ? [] : [previousInstallation(request.previousFolder)]),
    releases(request.layout),
    files(request),
    services(request),
    listeners,
    ...request.hostStores.map(
      (path) =>
        `if [ -f ${quote(path)} ] && [ -r ${quote(path)} ]; then say store ${quote(path)} "$(head -c ${maxStoreBytes} < ${quote(path)} | base64 -w0)"; fi`,
    ),
    ...(request.mariadbPort === undefined
      ? []
      : [`say read-only "$(${configuredReadOnlyScript(request.mariadbPort)})"`]),
    'exit 0\n',
  ].join('\n')

/** Returns a script that reads only what is installed and runs, with a handful of programs. */
export const installedScript = (request: Installation, nonce: string): string =>
  [
    ...prologue(request, nonce),
    installed(request),
    users(request),
    runningServices(request),
    'exit 0\n',
  ].join('\n')
