import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Component, components } from '../../src/contracts/component.ts'
import { openApiDocument } from '../../src/contracts/openapi.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { toolsFolder } from './support/tools.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-openapi-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs one of the tools, and gives what it printed; nothing of it is sent anywhere. */
function run(
  program: string,
  ...argv: readonly string[]
): { readonly code: number; readonly output: string } {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  try {
    const options = { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' } as const
    return { code: 0, output: execFileSync(program, argv, options) }
  } catch (error) {
    const { status, stdout, stderr } = Object(error)
    return { code: Number(status), output: `${stdout}${stderr}` }
  }
}

const tool = (name: string): string => join(toolsFolder, 'node_modules/.bin', name)

/** The document of a component in a file, changed first. */
function documentFile(component: Component, change: (document: object) => object = (it) => it): string {
  const routes = componentRoutes(component)
  const document = openApiDocument({ component, version: '1.2.3', routes, server: 'https://db1:8090' })
  writeFileSync(join(folder, `${component}.json`), JSON.stringify(change(document)))
  return `${component}.json`
}

const lint = (file: string) =>
  run(tool('redocly'), 'lint', '--extends=recommended-strict', '--format=json', file)

it.each(components)('describes the %s so that the linter of Redocly finds nothing', (component) => {
  const { code, output } = lint(documentFile(component))
  expect(code, output).toBe(0)
})

it('has a linter that finds what is missing', () => {
  const file = documentFile('manager', (document) => ({ ...document, servers: [] }))
  const { code, output } = lint(file)
  expect(code).toBe(1)
  expect(output).toContain('no-empty-servers')
})

/** A program as users of generated types write it. */
const program = `import type { components, operations, paths } from './manager'
type Schemas = components['schemas']
export const states: readonly Schemas['DataSourceState'][] = ['ONLINE', 'SHUNNED']
export function stateOf({ payload }: Schemas['DatasourceStatusResponse']): string {
  const source: Schemas['DatasourceStatusPayload'] = payload
  return source.reason ?? source.state satisfies Schemas['DataSourceState']
}
export const body: Schemas['CredentialsRequest'] = { payloadType: 'CredentialsPayload', payload: { user: 'a', pass: 'b' } }
export const codeOf = (error: Schemas['ErrorResponse']): string => error.payload.code
type Created = operations['createAdminUser']['responses'][200]['content']['application/json']
export const uri = (created: Created): string => (created satisfies Schemas['StringResponse']).payload.value
export type Ping = paths['/api/v2/ping']['get']
`

it('gives openapi-typescript types with names that a program can use', () => {
  for (const component of components) {
    const made = run(tool('openapi-typescript'), documentFile(component), '--output', `${component}.d.ts`)
    expect(made.code, made.output).toBe(0)
    const names = [...readFileSync(join(folder, `${component}.d.ts`), 'utf8').matchAll(/^ {8}(\w+): /gm)]
    expect(names.map(([, name]) => name)).toContain('PingResponse')
  }
  const compile = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    const tsc = join(process.cwd(), 'node_modules/.bin/tsc')
    return run(tsc, '--noEmit', '--strict', '--target', 'es2022', '--module', 'preserve', name)
  }
  const good = compile('program.ts', program)
  expect(good.code, good.output).toBe(0)
  const wrong = compile('wrong.ts', program.replace("'SHUNNED'", "'SHUNED'"))
  expect(wrong.output).toContain('\'"SHUNED"\' is not assignable')
})
