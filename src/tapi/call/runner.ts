import type { Command } from 'commander'
import { jsonText } from '../../base/json.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { ThisMachine } from '../../cli/thisMachine.ts'
import { UsageError } from '../../cli/usageError.ts'
import { ClientError } from '../../client/clientError.ts'
import type { RegisteredCluster } from '../../client/registry.ts'
import { type Component, components } from '../../contracts/component.ts'
import { exitCodeOf, renderError, withAdvice } from './callFailure.ts'
import { readOptions, readOptionsOf, type TapiOptions, type WrittenOptions } from './callOptions.ts'
import { type Change, changeHost } from './change.ts'
import { changeAll } from './changeAll.ts'
import { chooseHosts } from './chooseTarget.ts'
import { type ConfirmationOptions, isConfirmed } from './confirmation.ts'
import { type Call, prepareCall, readRecords } from './prepareCall.ts'

type Allowed = readonly Component[]

/** Ways to run a command; `allowed` are the components that it can call, all unless given. */
export type Runner = {
  /** Runs a command that reads from one component of one host, or with --all of every host if `ofAll` is given. */
  readonly read: (
    command: Command,
    action: (call: Call) => Promise<ExitCode>,
    allowed?: Allowed,
    ofAll?: ReadCalls,
  ) => Promise<void>
  /** Runs a command that reads from every component of one host, or with --all of every host if `all` is given. */
  readonly readHost: (
    command: Command,
    actions: { readonly one: ReadCalls; readonly all?: ReadCalls },
  ) => Promise<void>
  /** Runs a command that changes one host, or with --all every host. */
  readonly change: (
    command: Command,
    make: (context: ChangeContext) => Change | Promise<Change>,
    allowed?: Allowed,
  ) => Promise<void>
  /** Runs a changing command that is for one host, and confirms itself what it found. */
  readonly changeOne: (
    command: Command,
    action: (call: Call, iAmSure: boolean) => Promise<ExitCode>,
    allowed?: Allowed,
  ) => Promise<void>
  /** Runs a changing command that takes more than one POST. */
  readonly changeEach: (
    command: Command,
    actions: {
      readonly one: (call: Call) => Promise<ExitCode>
      readonly all: (calls: readonly Call[], options: EveryHostOptions) => Promise<ExitCode>
    },
  ) => Promise<void>
}

type ReadCalls = (calls: readonly Call[]) => Promise<ExitCode>

/** Options from which a change is created, beside its own arguments. */
export type ChangeContext = {
  readonly context: CommandContext
  readonly iAmSure: boolean
  readonly passwordStdin: boolean
}

type EveryHostOptions = { readonly iAmSure: boolean; readonly skipUnreachable: boolean }

/** Creates the runner that all commands of a process share; `done` receives the exit code. */
export function createRunner(environment: {
  readonly context: CommandContext
  readonly machine: ThisMachine
  readonly done: (code: ExitCode) => void
}): Runner {
  const { context, machine, done } = environment
  const read = async (written: WrittenOptions, allowed?: Allowed): Promise<TapiOptions> =>
    allowed === undefined ? readOptions(written) : readOptionsOf(allowed, written)
  const prepare = (options: TapiOptions, clusters: readonly RegisteredCluster[]): Promise<Call> =>
    prepareCall({ context, options, machine, clusters })

  const one = async (written: WrittenOptions, allowed?: Allowed): Promise<Call> =>
    prepare(await read(written, allowed), await readRecords(context))

  const every = async (written: WrittenOptions, allowed?: Allowed): Promise<readonly Call[]> => {
    const clusters = await readRecords(context)
    const { cluster, hosts } = chooseHosts({ written, clusters, allowed, cwd: context.cwd })
    const calls: Call[] = []
    for (const { name } of hosts) {
      const options = await read({ ...written, host: name, cluster: cluster.directory }, allowed)
      calls.push(await prepare(options, clusters))
    }
    return calls
  }

  const everyComponent = async (written: WrittenOptions): Promise<readonly Call[]> => {
    const clusters = await readRecords(context)
    const { cluster, hosts } = chooseHosts({ written, clusters, cwd: context.cwd })
    const calls: Call[] = []
    for (const { name, apis } of hosts) {
      for (const { component } of apis) {
        if (written.component !== undefined && written.component !== component) continue
        const options = readOptions({ ...written, component, host: name, cluster: cluster.directory })
        calls.push(await prepare(options, clusters))
      }
    }
    return calls
  }

  const all = (written: WrittenOptions, command: Command): EveryHostOptions => ({
    iAmSure: isConfirmed(command.opts<ConfirmationOptions>()),
    skipUnreachable: written.skipUnreachable === true,
  })

  return {
    read: async (command, action, allowed, ofAll) => {
      const written = readWritten(command)
      if (ofAll === undefined) rejectAll(written)
      else rejectSkipping(written)
      if (ofAll && written.all === true) return done(await ofAll(await every(written, allowed)))
      const call = await one(written, allowed)
      done(await reportClientError(call, () => action(call)))
    },
    readHost: async (command, actions) => {
      const written = readWritten(command)
      if (actions.all === undefined) rejectAll(written)
      else rejectSkipping(written)
      if (actions.all !== undefined && written.all === true)
        return done(await actions.all(await everyComponent(written)))
      const clusters = await readRecords(context)
      const options = readOptions(written)
      const first = await prepare(options, clusters)
      if (options.component !== undefined || options.port !== undefined)
        return done(await actions.one([first]))
      const { found } = first.target
      const kinds = found?.host.apis.map(({ component }) => component) ?? components
      const calls: Call[] = []
      for (const component of kinds) calls.push(await prepare({ ...options, component }, clusters))
      return done(await actions.one(calls))
    },
    change: async (command, make, allowed) => {
      const written = command.optsWithGlobals<WrittenOptions>()
      const sure = all(written, command)
      const { iAmSure } = sure
      const change = await make({ context, iAmSure, passwordStdin: written.passwordStdin === true })
      if (written.all === true) return done(await changeAll(await every(written, allowed), change, sure))
      if (change.shared !== true) rejectSkippingOne(written)
      const call = await one(written, allowed)
      return done(await reportClientError(call, () => changeHost(call, change, sure)))
    },
    changeOne: async (command, action, allowed) => {
      const written = readWritten(command)
      const { iAmSure } = all(written, command)
      rejectAll(written, `${command.name()} changes the whole cluster through the manager of one host`)
      const call = await one(written, allowed)
      done(await reportClientError(call, () => action(call, iAmSure)))
    },
    changeEach: async (command, actions) => {
      const written = readWritten(command)
      if (written.all === true) return done(await actions.all(await every(written), all(written, command)))
      const call = await one(written)
      return done(await reportClientError(call, () => actions.one(call)))
    },
  }
}

const readWritten = (command: Command): WrittenOptions => {
  const written = command.optsWithGlobals<WrittenOptions>()
  rejectSkippingOne(written)
  return written
}

/** Rejects `--skip-unreachable` where one host alone is called. */
function rejectSkippingOne(written: WrittenOptions): void {
  if (written.skipUnreachable !== true || written.all === true) return
  throw new UsageError('--skip-unreachable requires --all.', 'Add --all, or remove --skip-unreachable.')
}

function rejectAll(written: WrittenOptions, why = 'this command reads from one host'): void {
  if (written.all !== true) return
  throw new UsageError(
    `--all is for status, topology, events and commands that change something; ${why}.`,
    'Name the host to call: --host NAME. `tapi --all status` shows every host of a cluster.',
  )
}

function rejectSkipping(written: WrittenOptions): void {
  if (written.skipUnreachable !== true) return
  throw new UsageError(
    '--skip-unreachable is for commands that change something; this command only reads.',
    'Remove --skip-unreachable: the hosts that do not respond are named, and the others shown.',
  )
}

/** Runs an action and reports its `ClientError` with the fix that fits the host. */
async function reportClientError(call: Call, action: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const code = exitCodeOf(error)
    if (code === exitCodes.interrupted) return code
    const { context, options, target, trust } = call
    const advised = withAdvice({ error, target, trust })
    const facts = { code: advised.code, message: advised.message, fix: advised.fix }
    if (options.json) context.stdout.write(jsonText({ error: facts }))
    else context.stderr.write(renderError(facts))
    return code
  }
}
