import type { ClusterConfig } from '../config/model.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { closeAll, type Survey, surveyHosts } from '../deployment/survey.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { connectHost } from './connectHost.ts'
import type { CommandContext } from './context.ts'

/**
 * Holds the lock of the state directory and a connection to every host that can be reached while `work`
 * runs; however it ends, everything is let go, since an open connection keeps the program from ending.
 */
export async function withHosts<Result>(options: {
  readonly context: CommandContext
  readonly config: ClusterConfig
  readonly json: boolean
  /** The command's name, for the events. */
  readonly operation: string
  readonly work: (survey: Survey) => Promise<Result>
}): Promise<Result> {
  const { context, config, json, operation, work } = options
  const { cluster, directory } = config
  const hosts = config.hosts.map(({ name }) => name)
  const lock = await lockState({ directory, cluster })
  try {
    const renderer = await chooseRenderer({ context, json, hosts })
    renderer.emit({ type: 'run-started', operation, cluster, hosts })
    const survey = await surveyHosts({
      config,
      connect: (host) => connectHost(context, host),
      emit: renderer.emit,
      clock: () => performance.now(),
    }).finally(() => renderer.end())
    return await work(survey).finally(() => closeAll(survey))
  } finally {
    await lock.release()
  }
}
