import type { ConfigFile } from '../../../src/config/load.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { findingLines, scrubFiles } from '../../../src/config/scrub/scrubFiles.ts'

const home = '/home/ops'

const fileOf = (text: string): ConfigFile => ({ name: 'muster.yaml', directory: '/etc/muster', text })

/** One text scrubbed, and whether validation finds the same in it. */
export function scrubText(text: string): { readonly text: string; readonly hasSameFindings: boolean } {
  const { texts, hasSameFindings } = scrubFiles({ files: [fileOf(text)], home })
  return { text: texts[0] ?? '', hasSameFindings }
}

/** Line and code of every finding, sorted; a well-known password counts as a weak one. */
export const findingsIn = (text: string): readonly string[] =>
  findingLines(loadConfig({ files: [fileOf(text)], home }), 'muster.yaml')
