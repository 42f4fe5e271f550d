import type { HostConfig } from '../config/model.ts'
import type { HostFacts } from './facts/model.ts'
import { judgeRoom, judgeSocketPath, judgeWritable } from './judge/directory.ts'
import { judgeExecution } from './judge/execution.ts'
import { judgeListeners } from './judge/listeners.ts'
import { judgeMoved } from './judge/moved.ts'
import { judgeLogin, judgeServiceManager } from './judge/rights.ts'
import { judgeSystem } from './judge/system.ts'
import type { StepError } from './stepError.ts'

/**
 * What stands in the way of an installation on a host; pure, so nothing is touched before it is empty. The
 * rules are those of `muster check`, which tells of each whether it holds.
 */
export function judgeFacts(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const system = judgeSystem(host, facts)
  if (system.length > 0) return system
  const moved = judgeMoved(host, facts, cluster)
  if (moved.length > 0) return moved
  return [
    ...judgeRights(host, facts, cluster),
    ...judgeRoom(host, facts),
    ...judgeSocketPath(host, facts, cluster),
    ...judgeExecution(host, facts),
    ...judgeListeners(host, facts, cluster),
  ]
}

/** The first that is missing: where the login is the wrong one, what it may write tells nothing. */
function judgeRights(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const manager = judgeServiceManager(host, facts, cluster)
  if (manager.length > 0) return manager
  const login = judgeLogin(host, facts, cluster)
  return login.length > 0 ? login : judgeWritable(host, facts)
}
