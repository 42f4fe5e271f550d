import { quote } from '../../base/shellWords.ts'
import type { Layout } from '../layout.ts'
import { changeableFunction, trustedRoot } from '../trustedFolder.ts'
import { functions, identity } from './parts/common.ts'
import {
  before,
  files,
  installed,
  releases,
  services,
  servicesBriefly,
  userGroup,
  users,
} from './parts/installation.ts'
import { fileSystem, listeners, system } from './parts/system.ts'

/** Arguments of the script that reads what is installed and runs. */
export type InstalledRequest = {
  readonly cluster: string
  readonly layout: Layout
}

/** Arguments of the facts script: what must be known of a host before it has been seen. */
export type FactsRequest = InstalledRequest & {
  /** Where the host's installation was last, if that is another folder. */
  readonly before?: string
  /** System user that the file names. */
  readonly user?: string
  /** Paths on the host of stores that the configuration names with `host:`. */
  readonly hostStores: readonly string[]
}

/** Bytes of a store on a host that are read. */
const mostStoreBytes = 8 * 1024 * 1024

const beginning = (request: InstalledRequest, nonce: string): readonly string[] => [
  functions(nonce),
  `root=${quote(request.layout.root)}`,
  identity,
  changeableFunction,
  // Where others could replace it nothing is read there.
  trustedRoot('say untrusted "$found"; exit 0'),
  'say uid "$me"',
]

/**
 * One POSIX sh script that reads everything a plan needs, in one round trip, and changes nothing. It starts few
 * programs, since each costs a host about 2 ms: what the shell can read itself it reads itself. It lists only folders
 * that root alone can write, and reads what the service user wrote as that user.
 */
export const factsScript = (request: FactsRequest, nonce: string): string =>
  [
    ...beginning(request, nonce),
    system,
    fileSystem,
    installed(request),
    users(request),
    userGroup(request.cluster, request.user),
    ...(request.before === undefined ? [] : [before(request.before)]),
    releases(request.layout),
    files(request),
    services(request),
    listeners,
    ...request.hostStores.map(
      (path) =>
        `if [ -f ${quote(path)} ] && [ -r ${quote(path)} ]; then say store ${quote(path)} "$(head -c ${mostStoreBytes} < ${quote(path)} | base64 -w0)"; fi`,
    ),
    'exit 0\n',
  ].join('\n')

/** The script that reads what is installed and runs, and nothing else: a handful of programs. */
export const installedScript = (request: InstalledRequest, nonce: string): string =>
  [
    ...beginning(request, nonce),
    installed(request),
    users(request),
    servicesBriefly(request),
    'exit 0\n',
  ].join('\n')
