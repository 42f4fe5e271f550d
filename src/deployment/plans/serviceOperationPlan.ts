import type { CallRequest } from '../../client/call.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Component } from '../../contracts/component.ts'
import { callOf } from '../../contracts/routeCall.ts'
import { callHost, endedComponent } from '../callHost.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { restartServices, startServices, stopServices } from '../services/control.ts'
import { describeFailure, joinMessages, serviceFailure, startOrThrow } from '../services/serviceFailure.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { stopScriptTimeout } from '../services/stopTimeouts.ts'
import { change, draining, type Step } from '../step.ts'
import { StepError } from '../stepError.ts'

export type ServiceOperation = 'start' | 'stop' | 'restart'

/** Milliseconds in which a component must respond on its socket after its start. */
const responseTimeout = 20_000

const scripts: Readonly<Record<ServiceOperation, (set: ServiceSet) => string>> = {
  start: startServices,
  stop: stopServices,
  restart: restartServices,
}

/**
 * Returns the plan that starts, stops or restarts the installed components of a host; after a start it waits for each
 * to respond.
 */
export function serviceOperationPlan(options: {
  readonly operation: ServiceOperation
  readonly facts: HostFacts
  readonly set: ServiceSet
  readonly notInstalled: () => StepError
}): readonly Step[] {
  const { operation, facts, set, notInstalled } = options
  const components = set.components.filter((component) => isDue(facts, component, operation))
  const due = { ...set, components }
  const installed = facts.installation.manifest !== undefined
  return [
    {
      id: operation,
      title: `${operation} the components`,
      phase: 'commit',
      check: () => {
        if (!installed) return change(`${operation} ${set.components.join(', ')}`)
        if (components.length === 0) return undefined
        const what = change(`${operation} ${components.join(', ')}`)
        // If all components stop, none has to wait for another.
        const drains = operation === 'restart' && components.includes('connector')
        return draining(what, drains ? set.drainTimeout : 0)
      },
      apply: async (transport) => {
        if (!installed) throw notInstalled()
        const run = {
          doing: `${operation} of ${components.join(', ')}`,
          fix: logsFix(transport.host),
          script: `{\n${scripts[operation](due)}\n} || exit 1`,
          timeout: stopScriptTimeout(set.drainTimeout),
        }
        await (operation === 'stop' ? runOrThrow(transport, run) : startOrThrow(transport, due, run))
        if (operation !== 'stop') await waitUntilResponding(transport, due)
      },
    },
  ]
}

function isDue(facts: HostFacts, component: Component, operation: ServiceOperation): boolean {
  const running = facts.services.get(component)?.state === 'running'
  if (operation === 'restart') return true
  return operation === 'start' ? !running : running
}

/** Waits until the components respond on their sockets; rejects with a `StepError`. */
export async function waitUntilResponding(
  transport: Parameters<Step['apply']>[0],
  set: ServiceSet,
): Promise<void> {
  const requests = set.components.map(
    (component): CallRequest => ({
      ...callOf(commonRoutes.ping),
      id: component,
      target: { socket: set.data.socket(component) },
      timeout: responseTimeout / 2,
      retryUntil: responseTimeout,
    }),
  )
  const results = await callHost({
    running: false,
    transport,
    layout: set.layout,
    account: set.account,
    requests,
    timeout: responseTimeout * 2,
    until: set,
  })
  const ended = endedComponent(results)
  const up = results.flatMap((result) => ('status' in result && result.status === 200 ? [result.id] : []))
  const silent = set.components.filter((one) => (ended === undefined ? !up.includes(one) : one === ended))
  if (silent.length === 0) return
  const failed = await Promise.all(silent.map((component) => serviceFailure(transport, set, component)))
  const what =
    ended === undefined
      ? `did not answer within ${responseTimeout / 1000} s after the start`
      : 'ended after its start instead of answering'
  throw new StepError({
    host: transport.host,
    code: 'not-answering',
    message: joinMessages(
      failed.map((failure, index) => `the ${silent[index]} ${what}${describeFailure(failure)}`),
    ),
    fix: logsFix(transport.host),
  })
}

const logsFix = (host: string): string =>
  `Fix what the log reports, then run the command again. More of it: \`muster logs --host ${host}\``
