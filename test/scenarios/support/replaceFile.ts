import { renameSync, statSync, writeFileSync } from 'node:fs'

/** Puts another content in the place of a file at once: one that is written over can be read half. */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.new`
  writeFileSync(next, content, { mode: statSync(path).mode })
  renameSync(next, path)
}
