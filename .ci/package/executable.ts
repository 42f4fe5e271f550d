import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { elfNote } from '../../src/base/elf.ts'
import { addNotes } from './addNotes.ts'

/** Templates of service definitions, and files of a project for Ansible. */
const templates = readdirSync('templates', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()

/** Files of the package that the programs read, and which are within the executable by the same names. */
const ownFiles = ['package.json', 'dist/muster-api.cjs', 'dist/muster-apply.cjs', ...templates]

const programs = ['muster', 'tapi']

/** Node.js looks for the note, and reads its main script from it, where this word ends in `:1` (postject's documentation). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:'

/**
 * Makes what `node --experimental-sea-config` makes of the programs: main script and assets. It is the same for all
 * processors, since it has neither snapshot nor compiled code.
 */
export async function buildPrograms(folder: string, node: string): Promise<Buffer> {
  for (const program of [...programs, 'single']) {
    await build({
      entryPoints: [`src/bin/${program}.ts`],
      outfile: join(folder, `dist/${program}.cjs`),
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'cjs',
      external: ['cpu-features', '*.node'],
      supported: { 'dynamic-import': false },
      legalComments: 'none',
      logLevel: 'warning',
      // The single executable reads its assets before it would ask for a folder of its own.
      logOverride: { 'empty-import-meta': 'silent' },
    })
  }
  for (const path of ownFiles) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(path, join(folder, path))
  }
  const config = {
    main: 'dist/single.cjs',
    output: 'sea.blob',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    // NODE_OPTIONS of whoever calls muster do not reach it, nor the services.
    execArgvExtension: 'none',
    assets: Object.fromEntries(
      [...ownFiles, ...programs.map((program) => `dist/${program}.cjs`)].map((path) => [path, path]),
    ),
  }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  execFileSync(node, ['--experimental-sea-config', 'sea.json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return readFileSync(join(folder, 'sea.blob'))
}

/** Returns a Node.js binary with the programs in it, and with a note of muster's version, which `version --verify` reads. */
export function makeExecutable(options: {
  readonly node: Buffer
  readonly programs: Buffer
  readonly version: string
}): Buffer {
  const { node, programs, version } = options
  const made = addNotes(node, [elfNote('muster', Buffer.from(version)), elfNote('NODE_SEA_BLOB', programs)])
  const at = made.indexOf(fuse)
  if (at === -1 || made.indexOf(fuse, at + 1) !== -1) throw new Error('Node.js has no single fuse')
  made.write('1', at + fuse.length, 'latin1')
  return made
}
