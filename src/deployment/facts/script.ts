import { quote } from '../../transport/shellWords.ts'
import type { Layout } from '../layout.ts'
import { functions, identity } from './parts/common.ts'
import { before, files, installed, releases, services, servicesBriefly } from './parts/installation.ts'
import { fileSystem, listeners, system } from './parts/system.ts'

/** What the script must know of a host to tell what is installed and runs there. */
export type InstalledRequest = {
  readonly cluster: string
  readonly layout: Layout
}

/** What the facts script must know of a host before it has seen it. */
export type FactsRequest = InstalledRequest & {
  /** Where the host's installation was last, if that is another folder. */
  readonly before?: string
  readonly user?: string
  /** Paths on the host of stores that the configuration names with `host:`. */
  readonly hostStores: readonly string[]
}

const rootOf = ({ layout }: InstalledRequest): string => `root=${quote(layout.root)}`

/**
 * One POSIX sh script that reads everything a plan needs, in one round trip, and changes nothing. It starts few
 * programs, since each costs a host about 2 ms: what the shell can read itself it reads itself.
 * Each line it prints is a key and tab-separated values, or a line of a text behind its path; what may be binary is
 * base64. So no content can be taken for another line.
 */
export const factsScript = (request: FactsRequest): string =>
  [
    functions,
    rootOf(request),
    identity,
    system(request.user),
    fileSystem,
    installed(request.layout, request.cluster),
    ...(request.before === undefined ? [] : [before(request.before)]),
    releases(request.layout),
    files(request.layout, request.cluster),
    services(request.cluster),
    listeners,
    ...request.hostStores.map(
      (path) =>
        `if [ -r ${quote(path)} ]; then say store ${quote(path)} "$(base64 -w0 < ${quote(path)})"; fi`,
    ),
    'exit 0\n',
  ].join('\n')

/** The same for what is installed and runs alone: a handful of programs. */
export const installedScript = (request: InstalledRequest): string =>
  [
    functions,
    rootOf(request),
    identity,
    installed(request.layout, request.cluster),
    servicesBriefly(request.cluster),
    'exit 0\n',
  ].join('\n')
