import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolsFolder } from './tools.ts'

/** Program that runs a Postman collection as Postman does; `setup` of the tools installs it. */
export const newman = join(toolsFolder, 'node_modules/.bin/newman')

/** As much of newman's report as is read here. */
type Report = {
  readonly run: {
    readonly stats: Readonly<
      Record<'requests' | 'assertions', { readonly total: number; readonly failed: number }>
    >
    readonly failures: readonly {
      readonly source: { readonly name: string }
      readonly error: { readonly message: string }
    }[]
    readonly executions: readonly { readonly item: { readonly name: string } }[]
  }
}

/**
 * Runs folders of a collection in their order, all unless told. The variables are in a file of `folder`: one of them is a
 * password, which is never an argument.
 */
export async function runCollection(options: {
  readonly collection: string
  /** For files of the run. */
  readonly folder: string
  readonly variables: Readonly<Record<string, string | number>>
  /** PEM file of the authority; absent to trust nobody. */
  readonly authority?: string
  readonly folders?: readonly string[]
}) {
  const { collection, folder, variables, authority, folders = [] } = options
  const environment = join(folder, 'environment.json')
  const values = Object.entries(variables).map(([key, value]) => ({
    ...{ key, value: String(value), enabled: true },
  }))
  writeFileSync(environment, JSON.stringify({ name: 'test', values }), { mode: 0o600 })
  const report = join(folder, 'report.json')
  const argv = [
    ...['run', collection, '--environment', environment],
    ...(authority === undefined ? [] : ['--ssl-extra-ca-certs', authority]),
    ...folders.flatMap((name) => ['--folder', name]),
    ...['--reporters', 'json', '--reporter-json-export', report],
  ]
  const child = spawn(newman, argv, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  const { stats, failures, executions }: Report['run'] = JSON.parse(readFileSync(report, 'utf8')).run
  return {
    code,
    requests: executions.map(({ item }) => item.name),
    assertions: stats.assertions,
    failures: failures.map(({ source, error }) => `${source.name}: ${error.message}`),
  }
}
