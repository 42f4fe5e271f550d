import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { openState } from '../deployment/state/openState.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { askLeftHosts, leftHosts } from '../session/leftHosts.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { forgetHosts } from '../session/removal.ts'

export const forgetCommand: Define = (made, world) => {
  fileArguments(made.argument('<host>', 'a host that left the file')).option(
    '-y, --yes',
    'forget without asking',
  )
  return runOnFiles(made, world, (options) => {
    const [host = '', ...files] = options.files
    return forget({ ...options, host, files, yes: flag(made, 'yes') })
  })
}

/** Forgets a host that left the file, and says what may still run there. Changes nothing on it. */
async function forget(
  options: ClusterOptions & { readonly host: string; readonly yes: boolean },
): Promise<ExitCode> {
  const { context, host, yes } = options
  const { config } = await openCluster(options)
  requireConfirmation(context, { yes, command: 'forget' })
  const lock = await lockState(config, { now: context.now(), operation: 'forget' })
  try {
    const { state } = await openState(config)
    const left = leftHosts(config, state)
    if (!left.includes(host)) {
      throw new UsageError(
        `${host} is no host that left the file of ${config.cluster}.`,
        left.length === 0 ? 'No host left it.' : `These left it: ${left.join(', ')}.`,
      )
    }
    for (const { what } of await askLeftHosts({ context, config, state }, [host])) {
      context.stderr.write(`${host} of ${config.cluster}: ${what}\n`)
    }
    if (!(await isConfirmed(context, { yes, question: `Forget ${host}? Nothing is changed there.` }))) {
      context.stderr.write('Nothing was changed.\n')
      return exitCodes.failed
    }
    await forgetHosts({ context, config, state, names: [host] })
    context.stdout.write(`forgot ${host}\n`)
    return exitCodes.ok
  } finally {
    await lock.release()
  }
}
