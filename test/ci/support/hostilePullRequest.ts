import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A checkout that is full of traps. */
export type HostilePullRequest = {
  /** Names of the traps that have sprung. */
  readonly sprung: () => readonly string[]
  readonly clear: () => void
  /** A file beside the checkout that links in it lead to. */
  readonly outside: string
}

/** Text of the file outside, which no log may show. */
export const precious = 'AKIAIOSFODNN7EXAMPLE'

/**
 * Writes what a stranger's pull request can hold, and what an earlier job of a stranger can have left in `.git` on
 * a runner that uses a folder again. Every program in it writes its name down when it is run.
 */
export function layTraps(folder: string): HostilePullRequest {
  const log = join(dirname(folder), 'sprung')
  const outside = join(dirname(folder), 'outside')
  writeFileSync(outside, `[default]\naws_access_key_id = ${precious}\n`)
  const put = (name: string, text: string, mode = 0o644): string => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const trap = (name: string): string => put(name, `#!/bin/sh\necho '${name}' >> '${log}'\nexit 0\n`, 0o755)
  const moduleTrap = (name: string): string =>
    put(name, `#!/usr/bin/env node\nrequire('node:fs').appendFileSync('${log}', '${name}\\n')\n`, 0o755)

  const preload = moduleTrap('preload.cjs')
  const shell = put('script-shell', `#!/bin/sh\necho script-shell >> '${log}'\nexec /bin/sh "$@"\n`, 0o755)
  put(
    '.npmrc',
    [`node-options=--require=${preload}`, `script-shell=${shell}`, 'registry=http://127.0.0.1:9/'].join('\n'),
  )
  const script = `echo package-script >> '${log}'`
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'muster'].map((name) => [name, script]),
  )
  const manifest = { name: 'muster-cluster', version: '9.9.9', bin: { muster: 'dist/muster.js' }, scripts }
  put(
    'package.json',
    JSON.stringify({ ...manifest, type: 'module', workspaces: ['node_modules/*', 'package'] }),
  )
  for (const copy of ['node_modules/muster-cluster', 'package']) {
    put(`${copy}/package.json`, JSON.stringify(manifest))
    moduleTrap(`${copy}/dist/muster.js`)
  }
  moduleTrap('dist/muster.js')
  moduleTrap('node_modules/.bin/muster')
  put('muster.tgz', 'not a release')
  for (const program of [
    'muster',
    'node',
    'git',
    'npm',
    'npx',
    'curl',
    'tar',
    'sha256sum',
    'mktemp',
    'rm',
    'sh',
  ]) {
    trap(program)
  }
  const sourced = `echo sourced >> '${log}'\n`
  for (const name of ['.bashrc', '.bash_profile', '.profile', '.envrc']) put(name, sourced)
  put('.env', `NODE_OPTIONS=--require=${preload}\nBASH_ENV=${put('bash-env', sourced)}\n`)
  put('.nvmrc', '0.10.0\n')
  put('.node-version', '0.10.0\n')
  put('.tool-versions', 'nodejs 0.10.0\n')
  put('.curlrc', `output = "${join(folder, 'elsewhere')}"\n`)
  put('bunfig.toml', `preload = ["${preload}"]\n`)
  put('.yarnrc.yml', `yarnPath: ${preload}\n`)
  moduleTrap('.pnpmfile.cjs')
  moduleTrap('.pnp.cjs')
  put('node.config.json', JSON.stringify({ nodeOptions: { require: [preload], import: [preload] } }))
  put('.gitattributes', '* filter=trap diff=trap merge=trap\n')
  symlinkSync(outside, join(folder, 'muster.xml'))
  put('muster.yaml', hostileFile(trap('exec')))

  for (const hook of [
    'pre-commit',
    'post-checkout',
    'post-index-change',
    'fsmonitor-watchman',
    'pre-auto-gc',
  ]) {
    trap(`.git/hooks/${hook}`)
  }
  const program = trap('.git/program')
  const settings = {
    'core.fsmonitor': program,
    'core.pager': program,
    'core.editor': program,
    'core.sshCommand': program,
    'core.askPass': program,
    'core.gitProxy': program,
    'credential.helper': program,
    'filter.trap.clean': program,
    'filter.trap.smudge': program,
    'filter.trap.process': program,
    'diff.external': program,
    'diff.trap.textconv': program,
    'alias.ls-files': `!${program}`,
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${program}`,
    'protocol.allow': 'always',
  }
  // The index is made before the traps are set, and asks for the monitor from then on.
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('add', '--force', '--', 'muster.yaml')
  git('-c', `core.fsmonitor=${program}`, 'update-index', '--fsmonitor')
  for (const [name, value] of Object.entries(settings)) {
    git('config', '--local', name, value)
  }
  writeFileSync(log, '')
  return {
    outside,
    sprung: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    clear: () => writeFileSync(log, ''),
  }
}

/** Names programs and files that it has no right to, and a password, so that git is asked. */
const hostileFile = (program: string): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: "correct horse battery staple 9"
  rest-api-users:
    first: !exec [${program}]
    second: !exec [sh, -c, "echo exec >> ../sprung"]
    third: !file ../outside
    fourth: !file /proc/self/environ
  java-tls-keystore-path: ../outside
  java-keystore-password: !exec [${program}]
  java-truststore-path: ../outside
  java-truststore-password: !exec [${program}]
services:
  alpha: { topology: clustered, master: db1, members: [db1], connectors: [db1] }
hosts:
  db1: { address: 10.0.0.11 }
`
