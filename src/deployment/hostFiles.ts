import { components } from '../contracts/component.ts'
import { belowRoot } from './desiredFile.ts'
import type { Installation } from './installedAccount.ts'
import type { DesiredComponent, DesiredFile, StepTarget } from './target.ts'

/**
 * File of a host in `share` or outside the install-directory, beside certificates, digests and definitions of services.
 * Facts, snapshots and `uninstall` have no target, so they know only its path.
 */
export type HostFile = {
  readonly path: (installation: Installation) => string
  /** Content and rights, which its step writes; undefined: this host has no such file. Absent for a file of the target. */
  readonly desired?: (target: StepTarget) => DesiredFile | undefined
}

/** Every such file: a step that writes another one adds it here, and all others find it. */
export const hostFiles: readonly HostFile[] = [
  ...components.map((component): HostFile => ({ path: ({ layout }) => layout.settings(component) })),
  { path: ({ layout }) => layout.secretsFile },
  { path: ({ layout }) => layout.account },
]

/** Returns their paths: those below the install-directory relative to it, and those outside, which are absolute. */
export function hostPaths(installation: Installation) {
  const paths = hostFiles.map(({ path }) => belowRoot(path(installation), installation.layout.root))
  return { below: paths.filter((path) => path[0] !== '/'), outside: paths.filter((path) => path[0] === '/') }
}

/** Returns settings and service definitions. */
export const componentFiles = (of: readonly DesiredComponent[]): readonly DesiredFile[] =>
  of.flatMap(({ settingsFile, unitFile }) =>
    unitFile === undefined ? [settingsFile] : [settingsFile, unitFile],
  )

/** Returns all files that steps write with a known content, except the manifest. */
export const desiredFiles = (target: StepTarget): readonly DesiredFile[] => [
  ...target.tls,
  ...componentFiles(target.components),
  ...hostFiles.flatMap(({ desired }) => desired?.(target) ?? []),
]
