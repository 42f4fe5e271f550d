import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

type Package = { readonly name: string; readonly version: string }

/**
 * Returns the folder above this file, in src or in dist, that holds our package.json. The single executable has its
 * files within; `directory` is empty there.
 */
export function ownPackage(): { readonly directory: string; readonly version: string } {
  if (isSea()) {
    const { version }: Package = JSON.parse(getAsset('package.json', 'utf8'))
    return { directory: '', version }
  }
  let directory = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const found = readPackage(join(directory, 'package.json'))
    if (found?.name === 'muster-cluster') return { directory, version: found.version }
    if (dirname(directory) === directory) throw new Error('package.json of muster-cluster was not found')
    directory = dirname(directory)
  }
}

function readPackage(file: string): Package | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
