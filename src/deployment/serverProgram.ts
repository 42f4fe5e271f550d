import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as sea from 'node:sea'
import { allDefinitions } from './services/implementations.ts'
import type { ServiceDefinitions } from './services/serviceManager.ts'

const { getAsset, isSea } = sea

/** Content of a release. */
export type ServerProgram = {
  readonly version: string
  /** `muster-api` as one file. */
  readonly bundle: Buffer
  /** Files of templates/ that service managers make their definitions of, by name. */
  readonly templates: Readonly<Record<string, string>>
}

/** Reads a file of muster's own package, or of its single executable. */
const ownFile = async (packageDirectory: string, path: string): Promise<Buffer> =>
  isSea() ? Buffer.from(getAsset(path)) : readFile(join(packageDirectory, path))

/** Reads the server program and the templates. */
export async function readServerProgram(packageDirectory: string, version: string): Promise<ServerProgram> {
  const bundle = await ownFile(packageDirectory, 'dist/muster-api.cjs')
  const read = async ({ template }: ServiceDefinitions) =>
    [template, String(await ownFile(packageDirectory, `templates/${template}`))] as const
  return { version, bundle, templates: Object.fromEntries(await Promise.all(allDefinitions().map(read))) }
}

/** Reads the program that applies a bundle on its host. */
export const readApplyProgram = (packageDirectory: string): Promise<Buffer> =>
  ownFile(packageDirectory, 'dist/muster-apply.cjs')

/** Reads the files that every project for Ansible has, with their paths in it. */
export async function readAnsibleFiles(
  packageDirectory: string,
): Promise<readonly { readonly path: string; readonly content: Buffer }[]> {
  const folder = 'templates/ansible'
  const names = isSea() ? assetNames() : await filesBelow(packageDirectory, folder)
  return Promise.all(
    names
      .filter((name) => name.startsWith(`${folder}/`))
      .toSorted()
      .map(async (name) => ({
        path: relative(folder, name),
        content: await ownFile(packageDirectory, name),
      })),
  )
}

async function filesBelow(packageDirectory: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(packageDirectory, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(packageDirectory, join(entry.parentPath, entry.name)))
}

/** Node.js 24.8 and newer, such as that of the executable, can list them. */
function assetNames(): readonly string[] {
  const names: unknown =
    'getAssetKeys' in sea && typeof sea.getAssetKeys === 'function' ? sea.getAssetKeys() : []
  return Array.isArray(names) ? names.map(String) : []
}
