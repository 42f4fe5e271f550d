import { type Command, InvalidArgumentError, Option } from 'commander'
import type { BatchSize, Rollout } from '../deployment/execution/rollout.ts'

/** Adds the options for the order of hosts; `defaults` are those of the command. */
export function rolloutOptions<Made extends Command>(made: Made, defaults: Rollout): Made {
  const batch =
    defaults.batch !== undefined && 'percent' in defaults.batch ? `${defaults.batch.percent}%` : 'all'
  return made
    .option(
      '--canary',
      `change one host first, not a primary if possible; stop if it fails${defaults.canary === undefined ? '' : ' (default)'}`,
    )
    .option('--no-canary', 'do not change one host ahead of the others')
    .option('--canary-host <name>', 'change this host first')
    .addOption(
      new Option(
        '--batch <n>',
        `number or percentage of hosts to change at once: 2, 25% (default: ${batch})`,
      ).argParser(parseBatch),
    )
    .addOption(
      new Option('--max-failed <n>', 'continue until more than n hosts failed (default: 0)').argParser(
        parseCount,
      ),
    )
    .addOption(
      new Option(
        '--on-failure <what>',
        'what hosts in progress do when another host fails (default: continue)',
      ).choices(['continue', 'stop']),
    )
}

export function rolloutGiven(made: Command, defaults: Rollout): Rollout {
  const given = made.opts<{
    canary?: boolean
    canaryHost?: string
    batch?: BatchSize
    maxFailed?: number
    onFailure?: Rollout['onFailure']
  }>()
  const canary = canaryOf(given, defaults)
  const batch = given.batch ?? defaults.batch
  return {
    ...(canary === undefined ? {} : { canary }),
    ...(batch === undefined ? {} : { batch }),
    maxFailed: given.maxFailed ?? defaults.maxFailed,
    onFailure: given.onFailure ?? defaults.onFailure,
  }
}

function canaryOf(
  { canary, canaryHost }: { readonly canary?: boolean; readonly canaryHost?: string },
  defaults: Rollout,
): Rollout['canary'] {
  if (canary === false) return undefined
  if (canaryHost !== undefined) return { host: canaryHost }
  return canary === true ? 'first' : defaults.canary
}

function parseBatch(text: string): BatchSize {
  const [, digits = '', percent] = /^(\d{1,6})(%?)$/.exec(text) ?? []
  const value = Number(digits)
  if (percent === '%' && value >= 1 && value <= 100) return { percent: value }
  if (percent === '' && value >= 1) return { hosts: value }
  throw new InvalidArgumentError('Use a number of hosts, such as 2, or a percentage, such as 25%.')
}

function parseCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a number of hosts; 0 stops at the first failure.')
}
