import { type ConfigFile, type LoadOptions, type LoadResult, loadConfig } from '../../src/config/load.ts'
import { diagnosticsJson } from '../../src/output/diagnostics/json.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'

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
export const shown = (result: LoadResult): string =>
  diagnosticsText({ ...result, colour: false, width: 80 }) +
  diagnosticsText({ ...result, colour: true, width: 200 }) +
  diagnosticsJson(result.diagnostics) +
  JSON.stringify(result.config ?? null)

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
