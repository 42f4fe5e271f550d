import { homedir } from 'node:os'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { printDiagnostics } from '../../cli/printDiagnostics.ts'
import { writeFileTo } from '../../cli/terminal.ts'
import { scrubFiles } from '../../config/scrub/scrubFiles.ts'
import { readNamedFiles } from '../../session/loadCluster.ts'

const differentFindingsNote = `note: validate reports different findings for this text than for your file, because of a hidden value such as a
  password. Include your own findings in the report.
`

/** Several files one after the other, each under a line that counts them; their names may be private. */
const joined = (texts: readonly string[]): string =>
  texts
    .map((text, index) => {
      const title = texts.length > 1 ? `# file ${index + 1} of ${texts.length}\n` : ''
      return `${title}${text === '' || text.endsWith('\n') || texts.length === 1 ? text : `${text}\n`}`
    })
    .join('')

/**
 * Prints the files without secrets, names and addresses, also with errors in them. Exit codes: 0 printed, 3 a file
 * cannot be read.
 */
export async function scrub(options: {
  readonly context: CommandContext
  readonly files: readonly string[]
}): Promise<ExitCode> {
  const { context } = options
  const read = await readNamedFiles(options)
  if (read.diagnostics.length > 0) {
    printDiagnostics({ diagnostics: read.diagnostics, sources: [] }, { context, output: context.stderr })
    return exitCodes.usage
  }
  const { texts, hasSameFindings } = scrubFiles({ files: read.files, home: context.env.HOME ?? homedir() })
  writeFileTo(context.stdout, joined(texts))
  if (!hasSameFindings) context.stderr.write(differentFindingsNote)
  return exitCodes.ok
}
