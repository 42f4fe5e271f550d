import { type ConfigFile, type LoadResult, loadConfig } from '../load.ts'

/** One file that is to be scrubbed. */
export type Work = {
  /** Without byte order mark. */
  readonly file: ConfigFile
  /** What is found in all files together. */
  readonly whole: LoadResult
  /** Judges files; what was judged before is known. */
  readonly load: (files: readonly ConfigFile[]) => LoadResult
  readonly home: string
}

/** `loadConfig` that remembers: the same files are judged several times on the way. */
export function rememberingLoad(home: string): Work['load'] {
  const known = new Map<string, LoadResult>()
  return (files) => {
    const key = JSON.stringify(files)
    const result = known.get(key) ?? loadConfig({ files, home })
    known.set(key, result)
    return result
  }
}
