import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Content of a release. */
export type ServerProgram = {
  readonly version: string
  /** `muster-api` as one file. */
  readonly bundle: Buffer
  readonly unitTemplate: string
}

/** Reads the server program and the unit template from muster's own package. */
export async function readServerProgram(packageDirectory: string, version: string): Promise<ServerProgram> {
  const [bundle, unitTemplate] = await Promise.all([
    readFile(join(packageDirectory, 'dist', 'muster-api.cjs')),
    readFile(join(packageDirectory, 'templates', 'muster-component.service'), 'utf8'),
  ])
  return { version, bundle, unitTemplate }
}
