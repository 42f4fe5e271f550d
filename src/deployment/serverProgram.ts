import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getAsset, isSea } from 'node:sea'

/** Content of a release. */
export type ServerProgram = {
  readonly version: string
  /** `muster-api` as one file. */
  readonly bundle: Buffer
  readonly unitTemplate: string
}

/** Reads a file of muster's own package, or of its single executable. */
const ownFile = async (packageDirectory: string, path: string): Promise<Buffer> =>
  isSea() ? Buffer.from(getAsset(path)) : readFile(join(packageDirectory, path))

/** Reads the server program and the unit template. */
export async function readServerProgram(packageDirectory: string, version: string): Promise<ServerProgram> {
  const [bundle, unitTemplate] = await Promise.all([
    ownFile(packageDirectory, 'dist/muster-api.cjs'),
    ownFile(packageDirectory, 'templates/muster-component.service'),
  ])
  return { version, bundle, unitTemplate: unitTemplate.toString('utf8') }
}

/** Reads the program that applies a bundle on its host. */
export const readApplyProgram = (packageDirectory: string): Promise<Buffer> =>
  ownFile(packageDirectory, 'dist/muster-apply.cjs')
