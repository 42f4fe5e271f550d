import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../base/json.ts'
import { serviceManagerNames } from '../../config/settings/serviceManagerNames.ts'
import { components } from '../../contracts/component.ts'
import { exact, type ReadonlyStatic } from '../../contracts/schemaParts.ts'
import { componentFiles } from '../hostFiles.ts'
import type { DesiredFile } from '../target.ts'
import type { RenderedHost } from './renderedHost.ts'

const text = Type.String({ minLength: 1 })
const absolutePath = Type.String({ pattern: '^/' })
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' })
const mode = Type.String({ pattern: '^0[0-7]{3}$' })

const Description = Type.Object(
  {
    version: Type.Literal(1),
    /** Version of muster that rendered it, and when (RFC 3339). */
    muster: text,
    rendered: text,
    cluster: text,
    host: Type.Object(
      {
        name: text,
        address: text,
        installDirectory: absolutePath,
        serviceManager: Type.Enum([...serviceManagerNames]),
        /** Only if the configuration names it. */
        user: Type.Optional(text),
        /** Machine of the host's last installation by muster; another one is refused. */
        machineId: Type.Optional(text),
        /** The operator declared it to be another machine now: none is refused. */
        replaced: Type.Optional(Type.Literal(true)),
      },
      exact,
    ),
    architecture: Type.Enum(['x64', 'arm64']),
    service: Type.Object(
      { user: text, group: text, systemUser: Type.Boolean(), isOther: Type.Boolean() },
      exact,
    ),
    runtime: Type.Object({ id: text, sha256: digest, version: Type.Optional(text) }, exact),
    release: Type.Object({ id: text, version: text, sha256: digest }, exact),
    authorities: Type.Array(text),
    leaf: Type.Optional(text),
    /**
     * In the order in which they are written. Without a digest: in `secrets.age`, because a guess could be tried against
     * the digest of a secret. All others are below `root`.
     */
    files: Type.Array(
      Type.Object({ path: absolutePath, mode, owner: text, sha256: Type.Optional(digest) }, exact),
    ),
    components: Type.Array(
      Type.Object(
        {
          component: Type.Enum([...components]),
          settings: absolutePath,
          unit: Type.Optional(absolutePath),
          /** Of all that it reads only at start. */
          digest,
        },
        exact,
      ),
    ),
  },
  exact,
)

/** Content of `bundle.json`: the desired state of one host without its secrets. */
export type BundleDescription = ReadonlyStatic<typeof Description>

/** Parses the text of `bundle.json`; undefined if it is of another version. */
export function parseDescription(json: string): BundleDescription | undefined {
  const value = parseJson(json)
  return Value.Check(Description, value) ? value : undefined
}

const rightsOf = ({ path, mode: bits, owner }: DesiredFile) => ({
  path,
  mode: bits.toString(8).padStart(4, '0'),
  owner,
})

/** Circumstances in which a bundle is made. */
export type BundleOrigin = {
  /** Version of muster. */
  readonly muster: string
  readonly now: Date
  /** Machine that muster installed before. */
  readonly machineId: string | undefined
  /** True if another machine may take its place. */
  readonly replaced?: boolean
}

/** Describes a host for its bundle. */
export function describeBundle(rendered: RenderedHost, of: BundleOrigin): BundleDescription {
  const { target, runtime, release } = rendered
  const { cluster, host, layout, service, authorities, leaf } = target
  const { user, group, systemUser, isOther } = service
  const { id, sha256, version, architecture } = runtime
  return {
    version: 1,
    muster: of.muster,
    rendered: of.now.toISOString(),
    cluster,
    host: {
      name: host.name,
      address: host.address,
      installDirectory: layout.root,
      serviceManager: service.manager,
      ...(host.user === undefined ? {} : { user: host.user }),
      ...(of.machineId === undefined ? {} : { machineId: of.machineId }),
      ...(of.replaced === true ? { replaced: true } : {}),
    },
    architecture,
    service: { user, group, systemUser, isOther },
    runtime: { id, sha256, ...(version === undefined ? {} : { version }) },
    release: { id: release.id, version: target.release.version, sha256: release.program.sha256 },
    authorities: [...authorities],
    ...(leaf === undefined ? {} : { leaf }),
    files: [...componentFiles(rendered.components), ...target.tls].map((file) => ({
      ...rightsOf(file),
      ...(rendered.secretFiles.includes(file) ? {} : { sha256: file.sha256 }),
    })),
    components: rendered.components.map(({ component, settingsFile, unitFile, digest: started }) => ({
      component,
      settings: settingsFile.path,
      ...(unitFile === undefined ? {} : { unit: unitFile.path }),
      digest: started,
    })),
  }
}
