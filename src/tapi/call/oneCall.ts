import type { Option } from 'commander'
import type { CliCommand } from '../../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { Example } from '../../cli/help/helpText.ts'
import { send } from '../../client/calls.ts'
import type { Component } from '../../contracts/component.ts'
import type { RouteCall } from '../../contracts/routeCall.ts'
import type { Change, Refused } from './change.ts'
import { addConfirmationOptions } from './confirmation.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { summarizeChange } from './render.ts'
import type { ChangeContext, Runner } from './runner.ts'
import { showOutcome } from './showResults.ts'

/**
 * Command that is one call with a login. `given` are its argument and its options by their names, or what `prepare`
 * returns; each function names the members that it reads.
 */
export type OneCall = Pick<Change, 'nothingToDo' | 'note' | 'further' | 'local' | 'shared'> & {
  readonly argument?: readonly [flags: string, description: string]
  readonly option?: Option
  /** Reads and checks what a change was given, before anything is asked. Throws a `UsageError`. */
  readonly prepare?: (given: never, context: ChangeContext) => unknown
  /** Returns the call; `call` carries the login, to look up what the command line leaves open. */
  readonly request: (given: never, call: Call) => RouteCall | Promise<RouteCall | Refused>
  readonly render: (body: unknown, columns: number | undefined, given: never) => string
  /** Returns the exit code of a command that reads; 0 unless given. */
  readonly exitCode?: (body: unknown) => ExitCode
  /** Set for a change: the question to confirm, `where` being the host or hosts. */
  readonly question?: (where: string, given: never) => string
  /** Default: state and whether it changed. */
  readonly summarize?: Change['summarize']
}

/** One command of a group, such as `connector status`. */
export type GroupCall = OneCall & {
  readonly description: string
  /** Argument of the usual examples. */
  readonly sample?: string
  /** Examples in place of the usual ones. */
  readonly examples?: readonly Example[]
}

/** Makes a call that reads, and prints its response. */
export async function readOne(call: Call, one: OneCall, given = {} as never): Promise<ExitCode> {
  const known: Call = { ...call, caller: await login(call) }
  const made = await one.request(given, known)
  const outcome = 'problem' in made ? made : await send(known.caller, made)
  const render = (body: unknown, columns?: number) => one.render(body, columns, given)
  const code = showOutcome({ call, outcome, render })
  return 'problem' in outcome ? code : (one.exitCode?.(outcome.value) ?? exitCodes.ok)
}

/** Returns the definition of a command; `words` are those that select it. */
export const defineCall =
  (one: OneCall, allowed?: readonly Component[]) =>
  (command: CliCommand, { read, change }: Runner, words = command.name()): void => {
    const { argument, option, question, prepare = (given: unknown) => given } = one
    if (question) addConfirmationOptions(command)
    if (argument) command.argument(...argument)
    if (option) command.addOption(option)
    command.action(() => {
      const named = command.registeredArguments.map((it, at) => [it.name(), command.processedArgs[at]])
      const written = { ...command.opts<object>(), ...Object.fromEntries(named) } as never
      if (!question) return read(command, (call) => readOne(call, one, written), allowed)
      const make = async (context: ChangeContext): Promise<Change> => {
        const given = (await prepare(written, context)) as never
        return {
          summarize: summarizeChange,
          ...one,
          command: words,
          question: (where) => question(where, given),
          request: async (call) => one.request(given, call),
          render: (body, columns) => one.render(body, columns, given),
        }
      }
      return change(command, make, allowed)
    })
  }

/** Returns the definition of a command whose subcommands, by their names, are one call each. */
export const defineCalls =
  (allowed: Component | readonly Component[], calls: Readonly<Record<string, GroupCall>>) =>
  (command: CliCommand, runner: Runner): void => {
    command.helpCommand(false)
    for (const [name, one] of Object.entries(calls)) {
      const words = `${command.name()} ${name}`
      const line = one.sample === undefined ? words : `${words} ${one.sample}`
      const usual = one.question ? changeExamples(line) : readExamples(line)
      const made = command.command(name).description(one.description)
      defineCall(one, [allowed].flat())(made.examples(...(one.examples ?? usual)), runner, words)
    }
  }

const readExamples = (words: string): readonly Example[] => [
  ['Ask one host', `tapi --host db1 --user admin ${words}`],
  ['Print its answer as JSON', `tapi --host db1 --user admin --json ${words}`],
]

const changeExamples = (words: string): readonly Example[] => [
  ['Do it on one host, after a question', `tapi --host db1 --user admin ${words}`],
  ['Do it on every host of the cluster', `tapi --all --user admin ${words}`],
]
