import { Command, CommanderError, Option } from 'commander'
import { ClientError } from '../../client/clientError.ts'
import type { Component } from '../../contracts/component.ts'
import { completionCommand } from '../completion/command.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { Interrupted } from '../interrupted.ts'
import { UsageError } from '../usageError.ts'
import { createAdminUserCommand } from './createAdminUser.ts'
import { exitCodeOf, renderError, withAdvice } from './failure.ts'
import { getCommand } from './get.ts'
import { readOptions, readOptionsOf, type WrittenOptions } from './options.ts'
import { pingCommand } from './ping.ts'
import { postCommand } from './post.ts'
import { type Call, prepareCall } from './prepareCall.ts'
import { renderJson } from './renderPayload.ts'
import { replicatorCommand } from './replicatorCommand.ts'
import { isSure, type SureOptions, sure } from './sure.ts'
import { type ThisMachine, thisMachine } from './thisMachine.ts'
import { userCommand } from './user.ts'

type CreateWritten = SureOptions & { readonly newPasswordFile?: string; readonly newPasswordStdin?: boolean }
type PostWritten = SureOptions & { readonly body?: string }

/** Runs `tapi` with the given arguments (without node and script) and says with which code to exit. */
export async function tapi(options: {
  readonly argv: readonly string[]
  readonly context: CommandContext
  /** By what this machine's own host is told; looked up unless given. */
  readonly machine?: ThisMachine
}): Promise<ExitCode> {
  const { argv, context, machine } = options
  const { program, code } = build(context, machine ?? thisMachine())
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code()
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (error instanceof Interrupted) return exitCodes.interrupted
    if (!(error instanceof UsageError)) throw error
    context.stderr.write(renderError(error))
    return exitCodes.usage
  }
}

function build(context: CommandContext, machine: ThisMachine): { program: Command; code: () => ExitCode } {
  let code: ExitCode = exitCodes.ok
  type Action = (call: Call) => Promise<ExitCode>
  const run = async (command: Command, action: Action, component?: Component): Promise<void> => {
    const written = command.optsWithGlobals<WrittenOptions>()
    const options = component ? readOptionsOf(component, written) : readOptions(written)
    const call = await prepareCall({ context, options, machine })
    code = await callApi(call, action)
  }

  const program = globalOptions(base(context))
  program
    .command('ping')
    .description('ask whether the API answers; needs no login')
    .action((_options, command: Command) => run(command, pingCommand))
  sure(program.command('create-admin-user'))
    .description('create a user on the host, or change the password of one')
    .argument('[name]', "name of the user; --user is made the host's first one without it")
    .option('--new-password-file <file>', "file with the user's new password")
    .option('--new-password-stdin', 'read the new password from standard input')
    .action((name: string | undefined, written: CreateWritten, command: Command) =>
      run(command, (call) =>
        createAdminUserCommand(call, {
          ...(name !== undefined && { name }),
          iAmSure: isSure(written),
          newPasswordStdin: written.newPasswordStdin === true,
          ...(written.newPasswordFile !== undefined && { newPasswordFile: written.newPasswordFile }),
        }),
      ),
    )
  program
    .command('user')
    .description('show a user of the host')
    .argument('<name>', 'name of the user')
    .action((name: string, _options, command: Command) => run(command, (call) => userCommand(call, name)))
  program
    .command('get')
    .description('any GET of the API')
    .argument('<path>', 'such as ping, /ping or /api/v2/ping')
    .action((path: string, _options, command: Command) => run(command, (call) => getCommand(call, path)))
  sure(program.command('post'))
    .description('any POST of the API; --i-am-sure adds the guard i-am-sure=true')
    .argument('<path>', 'such as manager/reset')
    .option('--body <body>', 'JSON, @FILE, or - for standard input')
    .action((path: string, written: PostWritten, command: Command) =>
      run(command, (call) => {
        const body = written.body === undefined ? {} : { body: written.body }
        return postCommand(call, { path, iAmSure: isSure(written), ...body })
      }),
    )
  replicatorCommand(program.command('replicator'), (command, action) => run(command, action, 'replicator'))
  completionCommand(
    program.command('completion').description('print what completes tapi on the TAB key in a shell'),
    {
      name: 'tapi',
      context,
      done: (result) => {
        code = result
      },
    },
  )
  return { program, code: () => code }
}

async function callApi(call: Call, action: (call: Call) => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action(call)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const code = exitCodeOf(error)
    if (code === exitCodes.interrupted) return code
    const { context, options, target, trust } = call
    const advised = withAdvice({ error, target, trust })
    const facts = { code: advised.code, message: advised.message, fix: advised.fix }
    if (options.json) context.stdout.write(renderJson({ error: facts }))
    else context.stderr.write(renderError(facts))
    return code
  }
}

function base(context: CommandContext): Command {
  return new Command('tapi')
    .description('Calls the REST API of one component of one host, and verifies whose answer it is.')
    .version(context.version)
    .exitOverride()
    .showHelpAfterError('  fix: read `tapi --help`')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(withoutValue(text)),
      getOutHelpWidth: () => context.stdout.columns ?? 100,
      getErrHelpWidth: () => context.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', () => {
      return `
The password of --user comes from --password-file, --password-stdin, the environment variable
TAPI_PASSWORD, or a prompt; never from an argument. TAPI_USER stands in for --user.
Exit codes: 0 done, 1 the API answered an error, 3 wrong usage, 4 not reached, 130 interrupted.`
    })
}

function globalOptions(program: Command): Command {
  program
    .option('--host <host>', 'name or address of the host')
    .option('--component <component>', 'manager, connector or replicator; the one the host has unless given')
    .option('--user <user>', 'who logs in')
    .option('--password-file <file>', "file with the user's password")
    .option('--password-stdin', 'read the password from standard input')
    .option('--cluster <cluster>', 'name or directory of the cluster, where several have such a host')
    .option('--ca <file>', 'PEM certificate of the authority to trust, in place of the recorded one')
    .option('--port <port>', 'port, in place of the recorded or the default one')
    .option('--insecure', 'do not verify the certificate')
    .option('--json', 'print the answer as it came')
    .option('--timeout <time>', 'how long a call may take, such as 500ms, 30s or 5m (default: 10s)')
  for (const flags of ['-p, --password [never]', '--pass [never]', '--new-password [never]']) {
    const option = new Option(flags).hideHelp()
    program.addOption(option).on(`option:${option.name()}`, () => {
      throw new UsageError(
        'A password is never an argument: everybody on this machine can read the arguments of a program.',
        'Use --password-file FILE, --password-stdin, TAPI_PASSWORD or the prompt. If it was the real one, change it.',
      )
    })
  }
  return program
}

/** What commander says of an unknown option, without its value, which may be a mistyped option's password. */
const withoutValue = (text: string): string =>
  text.replace(/(unknown option '(?:--[^'=]*|-[^'-]))[^\n]*'/s, "$1'")
