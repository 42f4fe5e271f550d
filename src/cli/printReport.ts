import { makePortable, type Report } from '../output/diagnostics/portable.ts'
import type { CommandContext } from './context.ts'
import type { FindingFormat } from './formatOption.ts'
import { writeFileTo } from './terminal.ts'

type Format = Exclude<FindingFormat, 'text'>

/** A report in a format; each is loaded only where it is asked for. */
async function formatted(report: Report, options: { readonly format: Format; readonly version: string }) {
  const { format, version } = options
  switch (format) {
    case 'json': {
      const { diagnosticsJson } = await import('../output/diagnostics/json.ts')
      return diagnosticsJson(report.findings, report.more)
    }
    case 'sarif': {
      const { diagnosticsSarif } = await import('../output/diagnostics/sarif.ts')
      return diagnosticsSarif(report, version)
    }
    case 'junit': {
      const { diagnosticsJunit } = await import('../output/diagnostics/junit.ts')
      return diagnosticsJunit(report)
    }
    case 'github': {
      const { diagnosticsGithub } = await import('../output/diagnostics/github.ts')
      return diagnosticsGithub(report.findings)
    }
    case 'markdown': {
      const { diagnosticsMarkdown } = await import('../output/diagnostics/markdown.ts')
      return diagnosticsMarkdown(report)
    }
  }
}

/** Prints a report for programs to standard output, without absolute paths of this machine. */
export async function printReport(
  report: Report,
  to: { readonly context: CommandContext; readonly format: Format },
): Promise<void> {
  const { context, format } = to
  const { version } = context
  const text = await formatted(makePortable(report, context.cwd), { format, version })
  if (text !== '') writeFileTo(context.stdout, text)
}
