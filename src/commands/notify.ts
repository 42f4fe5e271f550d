import type { Define } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { notify } from '../session/notify.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'

export const notifyCommand: Define = (made, world) => runOnFiles(fileArguments(made), world, testWebhooks)

/** Sends a test message to every webhook of the file. Exit codes: 0 all were told, 1 one was not. */
async function testWebhooks(options: ClusterOptions): Promise<ExitCode> {
  const { context } = options
  const { config } = await openCluster(options)
  if (config.notify === undefined) {
    throw new UsageError(`The file of ${config.cluster} has no webhooks.`, 'See `muster explain notify`.')
  }
  const outcomes = await notify(context, {
    config,
    event: {
      event: 'test',
      title: `${config.cluster}: this is a test of muster`,
      text: 'Nothing has happened. This webhook works.',
      operation: 'notify',
      outcome: 'ok',
      exit: exitCodes.ok,
      hosts: [],
    },
  })
  const told = outcomes.filter(({ failure }) => failure === undefined)
  for (const { webhook } of told) {
    context.stdout.write(`told: the webhook at ${webhook.place} (${webhook.on.join(', ')})\n`)
  }
  return told.length === outcomes.length ? exitCodes.ok : exitCodes.failed
}
