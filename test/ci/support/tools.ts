import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

/**
 * What stands for the CI services on this machine: GitHub's own parser of workflows, and a runner of GitLab's
 * pipelines. Pinned: 4.61 is the last line of the runner that Node.js 20 runs. And newman, which runs the Postman
 * collection as Postman does, a linter of OpenAPI documents, and a generator of types from them.
 */
const packages = [
  '@actions/workflow-parser@0.3.61',
  'gitlab-ci-local@4.61.0',
  'newman@6.2.2',
  '@redocly/cli@2.77.0',
  'openapi-typescript@7.13.0',
]

/** Where they are installed; outside the project's own packages, which are what users get. */
export const toolsFolder = join(process.cwd(), 'node_modules/.cache/muster/ci-tools')

/** GitHub's parser as one module. */
export const workflowParser = join(toolsFolder, 'workflowParser.cjs')

/** Installs the tools once, and says what the system lacks. */
export function setup(): void {
  for (const program of ['git', 'pre-commit', 'rsync', 'curl']) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' })
    } catch {
      throw new Error(`${program} is missing: apt-get install git pre-commit rsync curl`)
    }
  }
  const done = join(toolsFolder, packages.join('+').replaceAll(/[@/]/g, '_'))
  if (existsSync(done)) return
  mkdirSync(toolsFolder, { recursive: true })
  writeFileSync(join(toolsFolder, 'package.json'), '{"private":true}\n')
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', ...packages], {
    cwd: toolsFolder,
    stdio: 'inherit',
  })
  // It imports JSON in a way that only bundlers understand.
  buildSync({
    entryPoints: [join(toolsFolder, 'node_modules/@actions/workflow-parser/dist/index.js')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: workflowParser,
  })
  writeFileSync(done, '')
}
