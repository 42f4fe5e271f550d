import { UnfitFileError } from '../../base/boundedFile.ts'
import { errorCode } from '../../base/systemErrors.ts'
import type { Once } from '../once.ts'
import type { ReadFile } from '../sshTarget.ts'
import { type KnownHost, parseKnownHosts } from './knownHosts.ts'

/** Reads the entries of known_hosts files. A missing file has none. */
export async function readKnownHosts(
  files: readonly string[],
  { readFile, once }: { readonly readFile: ReadFile; readonly once: Once },
): Promise<readonly KnownHost[]> {
  const read = async (file: string): Promise<readonly KnownHost[]> =>
    parseKnownHosts(await textOf(readFile, file), file)
  const entries = await Promise.all(files.map((file) => once(`known_hosts ${file}`, () => read(file))))
  return entries.flat()
}

async function textOf(readFile: ReadFile, file: string): Promise<string> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (error) {
    // An unreadable file counts as empty: the host is then unknown, and that error names the file.
    if (errorCode(error) !== undefined || error instanceof UnfitFileError) return ''
    throw error
  }
}
