import { setTimeout as delay } from 'node:timers/promises'
import { printable } from '../base/printable.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { choicesOption } from '../cli/command.ts'
import { type ExitCode, exitCodes, exitOfSwitch } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { type Outcome, send } from '../client/calls.ts'
import { ClientError, isUnreachable } from '../client/clientError.ts'
import { describeEndpoint } from '../client/endpoint.ts'
import { createKeptAgent } from '../client/request.ts'
import {
  eachStep,
  followSwitch,
  readSwitchPlan,
  readSwitchTask,
  type SwitchPlan,
  type SwitchTask,
} from '../client/switchTask.ts'
import { acceptableReasons } from '../contracts/choices.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import { managerRoutes, planRoutes, switchRoutes } from '../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import {
  acceptWords,
  candidateWords,
  dryRunWords,
  lossText,
  switchPlanText,
  switchQuestion,
  switchRefusalLines,
  switchRemarksText,
  switchResultText,
  switchStepText,
  waitText,
} from '../output/switchText.ts'
import { renderError } from './call/callFailure.ts'
import type { Refused } from './call/change.ts'
import { addConfirmationOptions, confirmChange } from './call/confirmation.ts'
import { findService } from './call/findService.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { renderFields, time } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { hostNameOf, showOutcome } from './call/showResults.ts'

const allowed = ['manager'] as const

type SwitchOptions = {
  readonly operation: SwitchOperation
  readonly service: string | undefined
  readonly to: string | undefined
  readonly accept: readonly string[]
  readonly wait: boolean
  readonly dryRun: boolean
  readonly iAmSure: boolean
}

/** Milliseconds for which the manager waits with its answer: a step that lasts is shown after them. */
const wait = 500

const taskCall = (task: string, query: { readonly wait?: number } = {}): RouteCall =>
  callOf(managerRoutes.managerTask, { task }, { query })

const seeTask = (call: Call, id: string): string => `\`tapi --host ${hostNameOf(call)} task ${id}\``

/** Reads a body of one of our own calls. Throws a `ClientError` for any other. */
function readAs<Value>(call: Call, value: Value | undefined): Value {
  if (value !== undefined) return value
  throw new ClientError({
    code: 'bad-answer',
    message: `The response of ${describeEndpoint(call.endpoint)} does not have the format of this call.`,
    fix: 'Check the host, the port and the component: another program may listen there.',
  })
}

/** Shows what a switch or a failover would do, asks, and tells the manager of the host to make it; follows it with --wait. */
async function switchPrimary(call: Call, options: SwitchOptions): Promise<ExitCode> {
  const { operation, to, accept } = options
  const { context, place } = call
  const { json } = call.options
  const known: Call = { ...call, caller: await login(call) }
  const found = await findService(known, options)
  const asked =
    'problem' in found
      ? found
      : await send(known.caller, callOf(planRoutes[operation], found, { query: { to, accept } }))
  if ('problem' in asked) return showOutcome({ call, outcome: asked, render: () => '' })
  const plan = readAs(call, readSwitchPlan(asked.value))
  if (!json) context.stdout.write(`${switchPlanText(plan)}\n${lossText(plan)}`)
  if (plan.refusals.length > 0) {
    if (json) showOutcome({ call, outcome: asked, render: () => '' })
    else context.stderr.write(refusalText(operation, plan))
    return exitCodes.failed
  }
  if (options.dryRun) return json ? showOutcome({ call, outcome: asked, render: () => '' }) : exitCodes.ok
  const question = switchQuestion(operation, plan, `, led by ${place}`)
  const { iAmSure } = options
  if (!(await confirmChange({ context, place, command: operation, iAmSure, question }))) {
    return exitCodes.failed
  }
  // Made after the question: a connection that waited for a person may be closed.
  const agent = createKeptAgent(known.endpoint)
  try {
    const kept: Call = { ...known, caller: { ...known.caller, agent } }
    const query = { to: plan.to ?? undefined, accept }
    const begun = await send(
      kept.caller,
      callOf(switchRoutes[operation], { service: plan.service }, { query }),
    )
    if ('problem' in begun) return showOutcome({ call, outcome: begun, render: () => '' })
    const task = readAs(call, readSwitchTask(begun.value))
    if (options.wait) return await followTask(kept, { plan, begun, task })
    showOutcome({ call, outcome: begun, render: (_body, columns) => renderTask(task, columns) })
    if (!json) context.stderr.write(`note: ${seeTask(call, task.taskId)} shows how far it is\n`)
    return exitOfSwitch(task.state)
  } finally {
    agent.destroy()
  }
}

const refusalText = (operation: SwitchOperation, plan: SwitchPlan): string => {
  const lines = switchRefusalLines(plan).map((line) => `  ${line}\n`)
  return printable(`error: The ${operation} is refused; nothing was changed.\n${lines.join('')}`)
}

type Begun = {
  readonly plan: SwitchPlan
  readonly begun: Outcome<unknown>
  readonly task: SwitchTask
}

/** Prints each step of a switch once, and its end. */
async function followTask(call: Call, { plan, begun, task: first }: Begun): Promise<ExitCode> {
  const { context } = call
  const { json } = call.options
  const { signal } = context
  const showStep = eachStep((task) => {
    if (!json) context.stdout.write(`${switchStepText(task, plan)}\n`)
  })
  let last = begun
  const read = async (): Promise<SwitchTask | undefined> => {
    try {
      last = await send(call.caller, taskCall(first.taskId, { wait }))
    } catch (error) {
      if (error instanceof ClientError && isUnreachable(error.code)) return undefined
      throw error
    }
    if (!('problem' in last)) return readAs(call, readSwitchTask(last.value))
    // A manager that starts or stops knows no more of its tasks for a moment.
    if (last.problem.status === 503) return undefined
    throw new RefusedReading(last)
  }
  try {
    const ended = await followSwitch({
      first,
      read,
      onTask: showStep,
      clock: {
        now: () => performance.now(),
        wait: (milliseconds) => delay(milliseconds, undefined, { signal }),
      },
    })
    if (ended === undefined) return reportLost(call, first)
    if (json) showOutcome({ call, outcome: last, render: () => '' })
    else showEnd(call, ended)
    return exitOfSwitch(ended.state)
  } catch (error) {
    if (error instanceof RefusedReading) {
      return showOutcome({ call, outcome: error.outcome, render: () => '' })
    }
    if (!signal.aborted) throw error
    context.stderr.write(
      `note: the ${first.operation} goes on; ${seeTask(call, first.taskId)} shows how far it is\n`,
    )
    throw new Interrupted()
  }
}

/** A manager refuses to tell of a task that it had. */
class RefusedReading extends Error {
  readonly outcome: Refused

  constructor(outcome: Refused) {
    super(outcome.problem.title)
    this.name = 'RefusedReading'
    this.outcome = outcome
  }
}

function showEnd({ context }: Call, task: SwitchTask): void {
  if (task.result !== null) {
    context.stdout.write(`${switchResultText(task, task.result)}\n`)
    context.stderr.write(switchRemarksText(task, task.result))
    return
  }
  context.stderr.write(
    renderError({
      message: `The ${task.operation} failed in the step ${task.step}: ${task.error ?? 'no reason given'}`,
      fix: `Remove the cause, then run tapi ${task.operation} again. \`tapi service status\` shows the primary.`,
    }),
  )
}

function reportLost(call: Call, { taskId, operation, service }: SwitchTask): ExitCode {
  const facts = {
    code: 'timeout',
    message: `${call.place} has not answered for 30 s; the ${operation} of ${service} may have gone on without it.`,
    fix:
      `Look at \`tapi --host HOST service status ${service}\` on another host for the primary. If clients wait, or ` +
      `the primary is not the one you want, start the manager of ${hostNameOf(call)}, or run ` +
      `\`tapi ${operation}\` on the other host: it settles this one first.`,
  }
  if (call.options.json) call.context.stdout.write(`${JSON.stringify({ error: { ...facts, taskId } })}\n`)
  else call.context.stderr.write(renderError(facts))
  return exitCodes.unreachable
}

/** Shows a task; the exit code is that of the switch. */
async function showTask(call: Call, id: string): Promise<ExitCode> {
  const outcome = await send(await login(call), taskCall(id))
  if ('problem' in outcome) return showOutcome({ call, outcome, render: () => '' })
  const task = readAs(call, readSwitchTask(outcome.value))
  showOutcome({ call, outcome, render: (_body, columns) => renderTask(task, columns) })
  return exitOfSwitch(task.state)
}

function renderTask(
  { taskId, operation, service, state, step, startedAt, endedAt, result, error }: SwitchTask,
  columns?: number,
): string {
  return renderFields(
    [
      ['task', taskId],
      ['operation', `${operation} of ${service}`],
      ['state', state.replace('_', ' ')],
      ['step', step],
      ['started', time(startedAt)],
      ['ended', time(endedAt)],
      ...(result === null
        ? []
        : ([
            ['primary', `${result.newPrimary} in place of ${result.oldPrimary}`],
            [
              'clients',
              result.heldMilliseconds === null ? '-' : `waited ${waitText(result.heldMilliseconds)}`,
            ],
            ...result.remarks.map((remark) => ['remark', remark] as const),
          ] as const)),
      ...(error === null ? [] : ([['error', error]] as const)),
    ],
    columns,
  )
}

/** Returns the definition of the command of an operation. */
const defineOperation =
  (operation: SwitchOperation) =>
  (command: CliCommand, { changeOne }: Runner): void => {
    addConfirmationOptions(command)
      .argument('[service]', 'name of the service, if there are several')
      .option('--to <datasource>', `the new primary (default: ${candidateWords[operation]})`)
      .addOption(choicesOption('--accept <reason>', acceptWords, acceptableReasons))
      .option('--dry-run', dryRunWords)
      .option(
        '--wait',
        `wait for the end of the ${operation}; exit code 1 if it failed, 6 if a server does not follow`,
      )
      .action(
        (
          service: string | undefined,
          made: {
            readonly to?: string
            readonly accept?: readonly string[]
            readonly dryRun?: boolean
            readonly wait?: boolean
          },
        ) => {
          const { to, accept = [], dryRun = false, wait: waits = false } = made
          const options = { operation, service, to, accept, dryRun, wait: waits }
          return changeOne(command, (call, iAmSure) => switchPrimary(call, { ...options, iAmSure }), allowed)
        },
      )
  }

export const defineSwitch = defineOperation('switch')

export const defineFailover = defineOperation('failover')

export function defineTask(command: CliCommand, { read }: Runner): void {
  command
    .argument('<id>', 'id of the task, as the switch printed it')
    .action((id: string) => read(command, (call) => showTask(call, id), allowed))
}
