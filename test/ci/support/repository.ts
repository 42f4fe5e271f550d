import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { commandsOf } from '../../support/pages.ts'
import { type Release, serveRelease } from './release.ts'

/** The repository of a user: a folder under git with a configuration and what we show for its CI. */
export type Repository = {
  readonly folder: string
  readonly release: Release
  readonly write: (name: string, text: string) => void
  readonly run: (
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<Ran>
  readonly remove: () => Promise<void>
}

export type Ran = { readonly code: number | null; readonly output: string }

/** Says what is wrong with its one line: an error in line 3. */
export const badFile = readFileSync('examples/three-hosts.yaml', 'utf8').replace(
  /^ {2}manager-rest-api-address: .*$/m,
  '  manager-rest-api-adress: 0.0.0.0',
)

export const goodFile = readFileSync('examples/three-hosts.yaml', 'utf8')

/** Makes a fresh repository, with muster on the PATH and a release to fetch. npm in it knows no registry. */
export async function createRepository(): Promise<Repository> {
  const top = mkdtempSync(join(tmpdir(), 'muster-ci-'))
  const folder = join(top, 'repository')
  const runnerTemp = join(top, 'temp')
  for (const made of [folder, runnerTemp]) mkdirSync(made)
  const release = await serveRelease(top)
  const installed = join(top, 'installed')
  const line = commandsOf('docs/guide/ci.md').find((shown) => shown.startsWith('npm install ')) ?? 'false'
  execFileSync('bash', ['-c', line], {
    cwd: dirname(release.file),
    env: { PATH: process.env.PATH, HOME: top, npm_config_prefix: installed, npm_config_loglevel: 'silent' },
  })
  const env = {
    PATH: `${join(installed, 'bin')}:${process.env.PATH}`,
    HOME: top,
    RUNNER_TEMP: runnerTemp,
    npm_config_registry: 'http://127.0.0.1:9/',
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
    release,
    write: (name, text) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
      git('add', '--all')
    },
    run: (program, args, more = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, {
          cwd: folder,
          env: { ...env, ...more },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
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
      await release.close()
      rmSync(top, { recursive: true })
    },
  }
}
