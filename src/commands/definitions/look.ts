import type { Command } from 'commander'
import { componentGiven, componentOption } from './componentOption.ts'
import { command, type Definition, flag, reaching, runsOnFiles, type World } from './definition.ts'
import { lockWait, lockWaitGiven } from './lockWait.ts'

/** What looks at hosts, and runs there what it is told. */
export const look: Definition = (world) => [
  runsOnFiles(
    lockWait(
      reaching(command('check', 'check all hosts for problems that would make install fail', world))
        .option('--json', 'print all results as JSON')
        .option('--strict', 'count warnings as failures')
        .option('--fix', 'fix what is safe to fix, then check again')
        .option('-y, --yes', 'fix without asking'),
    ),
    world,
    async (options, made) => {
      const { check } = await import('../check.ts')
      return check({
        ...options,
        json: flag(made, 'json'),
        strict: flag(made, 'strict'),
        fix: flag(made, 'fix'),
        yes: flag(made, 'yes'),
        lockWait: lockWaitGiven(made),
      })
    },
  ),
  runsOnFiles(
    componentOption(reaching(command('logs', 'show recent component logs from all hosts', world)))
      .option('--since <time>', 'only lines newer than this, such as 10m, 1h or 2d')
      .option('--lines <number>', 'number of lines per host', '100')
      .option('--json', 'print the original JSON lines'),
    world,
    async (options, made) => {
      const { logs } = await import('../logs.ts')
      const { since, lines } = made.opts<{ since?: string; lines: string }>()
      return logs({ ...options, component: componentGiven(made), since, lines, json: flag(made, 'json') })
    },
  ),
  exec(world),
]

/** `muster exec`: what stands behind `--` is the program, which no option of ours is looked for in. */
function exec(world: World): Command {
  const made = reaching(command('exec', 'run a command on all hosts, without a shell', world))
    .usage('[options] [file...] -- <program> [argument...]')
    .option('--timeout <time>', 'time limit per host, such as 30s or 10m', '60s')
    .option('--json', 'print one line of JSON for each host')
  let words: readonly string[] = []
  const parse = made.parseOptions.bind(made)
  // commander drops the `--`, by which alone the program can be told from the files.
  made.parseOptions = (argv) => {
    const at = argv.indexOf('--')
    words = at === -1 ? [] : argv.slice(at + 1)
    return parse(at === -1 ? argv : argv.slice(0, at))
  }
  return runsOnFiles(made, world, async (options) => {
    const { exec: run } = await import('../exec.ts')
    const { timeout } = made.opts<{ timeout: string }>()
    return run({ ...options, words, timeout, json: flag(made, 'json') })
  })
}
