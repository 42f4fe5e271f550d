import type { ReferencePlace, SecretReference } from '../secrets/reference.ts'
import { absolutePath, type Paths } from './paths.ts'
import type { Resolved } from './resolve/resolved.ts'
import { setSource } from './sets.ts'

/** The secret of an option with what reading it needs: absolute path, place and folder. Undefined without one. */
export function locatedSecret(
  resolved: Resolved<SecretReference>,
  paths: Paths,
): SecretReference | undefined {
  const { value, given } = resolved
  if (value === undefined || value.kind === 'literal' || given === undefined) return value
  const { file, line, column } = given.span
  // What the operator types is no stranger's: the folder binds only what a file says.
  const directory = file === setSource ? undefined : paths.directories.get(file)
  const at: ReferencePlace = {
    option: given.spelling,
    place: `${file}:${line}:${column}`,
    ...(directory === undefined ? {} : { directory }),
  }
  if (value.kind !== 'file') return { ...value, at }
  const path = absolutePath(value.path, { span: given.span, paths })
  return { kind: 'file', path, written: value.path, at }
}
