import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { measureRatio, type Ratio } from '../ratio.ts'
import { largeCluster } from './largeCluster.ts'

const rounds = 15

/** What a program of one's own would do with the file, without any check. */
const parseOnly = `import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
parse(readFileSync(process.argv[2], 'utf8'), { logLevel: 'silent' })
`

type Ran = { readonly code: number | null; readonly stdout: string }

function node(args: readonly string[], cwd: string): Ran {
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ADMIN_PASS: 'bench-Zo3hFq8sLw' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { code: status, stdout }
}

function expected(ran: Ran, code: number): Ran {
  if (ran.code !== code) throw new Error(`ended with ${ran.code} instead of ${code}: ${ran.stdout}`)
  return ran
}

/** The only finding must be the one that was planted, at its line. */
function seesTheClash(ran: Ran, line: number): void {
  const { findings } = JSON.parse(expected(ran, 1).stdout)
  const seen = findings.map((finding: { code: string; line: number }) => `${finding.line} ${finding.code}`)
  if (seen.join() !== `${line} port-clash`) throw new Error(`found instead of the clash: ${seen.join()}`)
}

/**
 * `muster validate` of a thousand hosts, all rules on, against a process that only parses the same file with
 * the yaml library; and `muster --version` against `node -e 0`.
 */
export async function benchValidate(): Promise<{ readonly validate: Ratio; readonly version: Ratio }> {
  const root = process.cwd()
  const muster = resolve(root, 'dist/muster.js')
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  // The parser's script lies in the project, where it finds the library.
  const parser = resolve(root, 'node_modules/.cache/muster/parseOnly.mjs')
  try {
    const { text, clashLine } = largeCluster()
    const file = join(folder, 'muster.yaml')
    writeFileSync(file, text)
    writeFileSync(parser, parseOnly)
    seesTheClash(node([muster, 'validate', '--json', file], folder), clashLine)
    return {
      validate: measureRatio({
        measured: () => expected(node([muster, 'validate', file], folder), 1),
        against: () => expected(node([parser, file], folder), 0),
        limit: 2,
        rounds,
      }),
      version: measureRatio({
        measured: () => expected(node([muster, '--version'], folder), 0),
        against: () => expected(node(['-e', '0'], folder), 0),
        limit: 1.5,
        rounds,
      }),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
