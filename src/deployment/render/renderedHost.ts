import { Secret } from '../../secrets/secret.ts'
import { desiredFile } from '../desiredFile.ts'
import { componentFiles } from '../hostFiles.ts'
import type { SentRuntime } from '../runtime/chooseRuntime.ts'
import { type Directory, directoriesOf, manifestFile } from '../steps/directoriesStep.ts'
import { nodeLink } from '../steps/releaseStep.ts'
import { accountRecord } from '../steps/servicesStep.ts'
import type { DesiredComponent, DesiredFile, DesiredUser, Target } from '../target.ts'

/** A file that anybody may read. */
type PublicFile = DesiredFile & { readonly content: Buffer }

/** A symbolic link; `to` is relative to its folder or absolute. */
type RenderedLink = { readonly path: string; readonly to: string }

/**
 * Desired state of one host for an engine that carries it there: `target`, which the steps of muster apply, and the
 * same as lists for an engine that has steps of its own. All paths are absolute.
 */
export type RenderedHost = {
  readonly target: Target
  /** Node.js of the release, in `folder`. */
  readonly runtime: SentRuntime & { readonly folder: string }
  /** Folder of the release; `program` is `muster-api.cjs` in it. */
  readonly release: { readonly id: string; readonly folder: string; readonly program: PublicFile }
  /** Parents first, with the folders of the service user last. */
  readonly directories: readonly Directory[]
  /** Settings, units and certificates, which anybody may read. */
  readonly publicFiles: readonly PublicFile[]
  /** Keys, stores and passwords. */
  readonly secretFiles: readonly DesiredFile[]
  /** The manifest lacks the machine-id, which only the host knows (`machineId`, a string, after `host`). */
  readonly manifest: DesiredFile
  /** The release's Node.js, and `current`. */
  readonly links: readonly RenderedLink[]
  /** `place user` of the components' data: written before their first start. */
  readonly account: DesiredFile
  /** Digest by component: written after its start; if it differs, the component is restarted. */
  readonly applied: readonly DesiredFile[]
  /** Written with `muster-api put-user` before the first start. */
  readonly users: readonly DesiredUser[]
  /** In the order of their start. */
  readonly components: readonly DesiredComponent[]
}

/** Names in `share/tls` that hold no secret. */
const publicNames = ['chain.pem', 'authorities.pem']

const isPublic = (file: DesiredFile): file is PublicFile => !(file.content instanceof Secret)

/** Describes one host for an engine; the target must have been made from assumed facts. */
export function renderHost(target: Target): RenderedHost {
  const { layout, release, runtime, tls, components, data, service } = target
  if (runtime.kind !== 'sent' || release.program === undefined) {
    throw new Error(`the target of ${target.host.name} has a runtime or a release of the host's own`)
  }
  const folder = `${layout.releases}/${release.id}`
  const root = { mode: 0o644, owner: 'root:root' }
  const files = [
    ...componentFiles(components),
    ...tls.filter(({ path }) => publicNames.some((name) => path === `${layout.tls}/${name}`)),
  ]
  const publicFiles = files.filter(isPublic)
  return {
    target,
    runtime: { ...runtime, folder: `${layout.runtimes}/${runtime.id}` },
    release: {
      id: release.id,
      folder,
      program: {
        ...root,
        path: `${folder}/muster-api.cjs`,
        content: release.program.bundle,
        sha256: release.program.sha256,
      },
    },
    directories: directoriesOf(target),
    publicFiles,
    secretFiles: tls.filter((file) => !files.includes(file)),
    manifest: manifestFile(target),
    links: [
      { path: `${folder}/node`, to: nodeLink(runtime) },
      { path: layout.current, to: `releases/${release.id}` },
    ],
    account: desiredRecord(layout.account, accountRecord({ data, service })),
    applied: components.map(({ component, digest }) => desiredRecord(layout.appliedFile(component), digest)),
    users: target.users,
    components,
  }
}

/** Returns a file of one line. */
const desiredRecord = (path: string, line: string): DesiredFile =>
  desiredFile({ path, content: Buffer.from(`${line}\n`), mode: 0o644, owner: 'root:root' })
