import { type ConfigFile, type LoadOptions, type LoadResult, loadConfig } from '../../src/config/load.ts'
import { diagnosticsGithub } from '../../src/output/diagnostics/github.ts'
import { diagnosticsJson } from '../../src/output/diagnostics/json.ts'
import { diagnosticsJunit } from '../../src/output/diagnostics/junit.ts'
import { diagnosticsMarkdown } from '../../src/output/diagnostics/markdown.ts'
import { diagnosticsSarif } from '../../src/output/diagnostics/sarif.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'
import { withoutSilenced } from '../../src/session/withoutSilenced.ts'

/** A file of a test, in a folder that need not exist. */
export const fileOf = (text: string, name = 'muster.yaml'): ConfigFile => ({
  name,
  directory: '/etc/muster',
  text,
})

/** Loads one text as `muster.yaml`. */
export const loadText = (text: string, options: Partial<LoadOptions> = {}): LoadResult =>
  loadConfig({ files: [fileOf(text)], home: '/home/ops', ...options })

/** Line and code of each finding. */
export const codes = (result: LoadResult): string[] =>
  result.diagnostics.map(({ code, span }) => `${span.line} ${code}`)

/** All that a person or a program could see of a result. */
export function shown(result: LoadResult): string {
  const options = { findings: result.diagnostics }
  const { findings, silenced } = withoutSilenced({ ...result, combined: false }, options)
  const text = { diagnostics: findings, sources: result.sources, silenced: silenced.length }
  const report = { findings, silenced, files: result.sources.map(({ name }) => name) }
  return [
    diagnosticsText({ ...text, colour: false, width: 80 }),
    diagnosticsText({ ...text, colour: true, width: 200 }),
    diagnosticsJson(findings),
    diagnosticsSarif(report, '0.1.0'),
    diagnosticsJunit(report),
    diagnosticsGithub(findings),
    diagnosticsMarkdown(report),
    JSON.stringify(result.config ?? null),
  ].join('\n')
}

/** A small good configuration. */
export const good = `cluster: alpha
defaults:
  rest-api-admin-user: admin
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1]
    connectors: [db1]
hosts:
  db1: { address: 10.0.0.11 }
`
