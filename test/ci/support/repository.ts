import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Registry, startRegistry } from './registry.ts'

/** The repository of a user: a folder under git with a configuration and what the README shows for its CI. */
export type Repository = {
  readonly folder: string
  readonly write: (name: string, text: string) => void
  readonly run: (program: string, args: readonly string[]) => Promise<Ran>
  readonly remove: () => Promise<void>
}

export type Ran = { readonly code: number | null; readonly output: string }

/** Says what is wrong with its one line: an error in line 3. */
export const badFile = readFileSync('examples/three-hosts.yaml', 'utf8').replace(
  /^ {2}manager-rest-api-address: .*$/m,
  '  manager-rest-api-adress: 0.0.0.0',
)

export const goodFile = readFileSync('examples/three-hosts.yaml', 'utf8')

/** The block of README.md whose first line is a comment with this file name, without that line. */
export function readmeBlock(name: string): string {
  const readme = readFileSync('README.md', 'utf8')
  const blocks = [...readme.matchAll(/^```yaml\n(.*?)^```/gms)].map((match) => match[1] ?? '')
  const block = blocks.find((text) => text.startsWith(`# ${name}\n`))
  if (block === undefined) throw new Error(`README.md shows no ${name}`)
  return block.slice(block.indexOf('\n') + 1)
}

/** A fresh repository; npm in it knows one registry, which has our package alone. */
export async function createRepository(): Promise<Repository> {
  const top = mkdtempSync(join(tmpdir(), 'muster-ci-'))
  const folder = join(top, 'repository')
  mkdirSync(folder)
  const registry: Registry = await startRegistry(top)
  const env = {
    PATH: process.env.PATH,
    HOME: top,
    npm_config_registry: registry.url,
    npm_config_cache: join(top, 'npm'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    PRE_COMMIT_HOME: join(top, 'pre-commit'),
    CI: 'true',
  }
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: folder, env, stdio: 'ignore' })
  }
  git('init', '--initial-branch=main')
  git('config', 'user.email', 'dba@example.org')
  git('config', 'user.name', 'dba')
  git('remote', 'add', 'origin', 'git@example.org:dba/clusters.git')
  return {
    folder,
    write: (name, text) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
      git('add', '--all')
    },
    run: (program, args) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
        let output = ''
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding('utf8').on('data', (text: string) => {
            output += text
          })
        }
        child.once('error', reject)
        child.once('close', (code) => resolve({ code, output }))
      }),
    remove: async () => {
      await registry.close()
      rmSync(top, { recursive: true })
    },
  }
}
