import { resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import type { CommandContext } from '../cli/context.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { readInputFile } from '../cli/readInputFile.ts'
import { readAllInput } from '../cli/terminalInput.ts'
import { UsageError } from '../cli/usageError.ts'
import { apiPath, isPublicPath, withGuard } from '../client/apiPath.ts'
import { send } from '../client/calls.ts'
import type { Change } from './call/change.ts'
import { addConfirmationOptions } from './call/confirmation.ts'
import { login } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { renderBody, summarizeChange } from './call/render.ts'
import type { ChangeContext, Runner } from './call/runner.ts'
import { showOutcome } from './call/showResults.ts'

/** Makes a GET call. Logs in unless the path is public and --user is absent. */
async function getPath(call: Call, written: string): Promise<ExitCode> {
  const path = apiPath(written)
  const caller = isPublicPath(path) && call.options.user === undefined ? call.caller : await login(call)
  return showOutcome({ call, outcome: await send(caller, { method: 'GET', path }), render: renderBody })
}

/**
 * Reads the value of `--body`: JSON, `@FILE`, or `-` for standard input. Throws a `UsageError` if it is not
 * JSON, without quoting it, or if the argument itself contains a password.
 */
async function readBody(context: CommandContext, written: string): Promise<unknown> {
  if (written === '-') return parse(await readAllInput(context), 'standard input')
  if (written.startsWith('@')) {
    const path = resolve(context.cwd, written.slice(1))
    return parse((await readInputFile({ path, what: 'The body', pipe: context.signal })).text, path)
  }
  const body = parse(written, '--body')
  if (holdsPassword(body)) {
    throw new UsageError(
      'The body contains a password, and every user of this machine can read arguments.',
      'Use --body @FILE, or --body - for standard input. Change the password: it was exposed.',
    )
  }
  return body
}

function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(
      `The body in ${source} is not valid JSON.`,
      'Use for example --body \'{"payloadType":"StringPayload","payload":{"value":"x"}}\', or @FILE, or -.',
    )
  }
}

function holdsPassword(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsPassword)
  if (!isObject(value)) return false
  return Object.entries(value).some(
    ([name, member]) => /^pass(word|wd)?$/i.test(name) || holdsPassword(member),
  )
}

/**
 * Creates a change from any POST call; the guard is added only with --i-am-sure, and no question is asked.
 */
async function postPath(
  changeContext: ChangeContext,
  posted: { readonly path: string; readonly body: string | undefined },
): Promise<Change> {
  if (posted.body === '-' && changeContext.passwordStdin) {
    throw new UsageError(
      '--body - and --password-stdin cannot both read standard input.',
      'Use --body @FILE for the body, or --password-file for the password.',
    )
  }
  const body = posted.body === undefined ? undefined : await readBody(changeContext.context, posted.body)
  const path = changeContext.iAmSure ? withGuard(apiPath(posted.path)) : apiPath(posted.path)
  return {
    command: 'post',
    untried: true,
    request: async () => ({ method: 'POST', path, ...(body !== undefined && { body }) }),
    render: renderBody,
    summarize: summarizeChange,
  }
}

export function defineGet(command: CliCommand, { read }: Runner): void {
  command
    .argument('<path>', 'such as ping, /ping or /api/v2/ping')
    .action((path: string) => read(command, (call) => getPath(call, path)))
}

export function definePost(command: CliCommand, { change }: Runner): void {
  addConfirmationOptions(command)
    .argument('<path>', 'such as manager/reset')
    .option('--body <body>', 'JSON, @FILE, or - for standard input')
    .action((path: string, { body }: { readonly body?: string }) =>
      change(command, (changeContext) => postPath(changeContext, { path, body })),
    )
}
