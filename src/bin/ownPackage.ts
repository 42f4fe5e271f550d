import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder above this file, in src or in dist, that holds our package.json. */
export function ownPackage(): { readonly directory: string; readonly version: string } {
  let directory = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const found = readPackage(join(directory, 'package.json'))
    if (found?.name === 'muster-cluster') return { directory, version: found.version }
    if (dirname(directory) === directory) throw new Error('package.json of muster-cluster was not found')
    directory = dirname(directory)
  }
}

function readPackage(file: string): { readonly name: string; readonly version: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
