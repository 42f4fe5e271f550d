import { isObject, parseJson } from '../../base/json.ts'
import { authorityDefect } from '../../certificates/authority.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import { Secret } from '../../secrets/secret.ts'
import type { ClusterState, Rotation } from './clusterState.ts'

type Kept = Pick<ClusterState, 'rotation' | 'retired'>

/** The content of rotation.json: version 1; the phase and its authority while one moves, and those that were dropped. */
export function encodeRotation({ rotation, retired = [] }: Kept): Buffer {
  const moving =
    rotation === undefined
      ? {}
      : {
          phase: rotation.phase,
          ...(rotation.phase === 'trust'
            ? {
                certificate: rotation.next.certificate,
                key: rotation.next.key.reveal(),
                ...(rotation.complete === true ? { complete: true } : {}),
              }
            : {}),
          ...(rotation.phase === 'move' ? { certificate: rotation.previous } : {}),
        }
  return Buffer.from(`${JSON.stringify({ version: 1, ...moving, retired }, undefined, 2)}\n`)
}

/** Reads rotation.json; a string is what is wrong with it, as the end of a sentence, without any value. */
export function decodeRotation(bytes: Buffer): Kept | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'has a version that this muster does not support'
  const { phase, retired } = content
  if (!Array.isArray(retired) || !retired.every(isCertificate))
    return 'has no proper list of retired authorities'
  const known = retired.length === 0 ? {} : { retired }
  if (phase === undefined) return known
  const rotation = decodePhase(content)
  return typeof rotation === 'string' ? rotation : { ...known, rotation }
}

function decodePhase(content: Readonly<Record<string, unknown>>): Rotation | string {
  const { phase, certificate, key } = content
  if (phase === 'drop') return { phase }
  if (phase !== 'trust' && phase !== 'move') return 'is in a phase that this muster does not know'
  if (!isCertificate(certificate)) return 'has no certificate of the other authority'
  if (phase === 'move') return { phase, previous: certificate }
  if (typeof key !== 'string') return 'has no key of the new authority'
  const next = { certificate, key: new Secret(key) }
  const defect = authorityDefect(next)
  const waits = content.complete === true ? { complete: true as const } : {}
  return defect === undefined ? { phase, next, ...waits } : `does not serve: the new authority ${defect}`
}

const isCertificate = (value: unknown): value is string =>
  typeof value === 'string' && certificatesOf(value)?.length === 1
