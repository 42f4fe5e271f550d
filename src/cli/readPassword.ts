import { resolve } from 'node:path'
import { capitalized } from '../base/words.ts'
import { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { promptHidden } from './promptHidden.ts'
import { readInputFile } from './readInputFile.ts'
import { readAllInput } from './terminalInput.ts'
import { UsageError } from './usageError.ts'

/** Sources of a password; never an argument, which every user of the machine can read. */
export type PasswordRequest = {
  readonly context: Pick<CommandContext, 'stdin' | 'stderr' | 'env' | 'signal' | 'cwd'>
  /** Name within a sentence: `the password of admin`. */
  readonly what: string
  /** Names of the options and the variable, for messages. */
  readonly options: { readonly file: string; readonly stdin: string; readonly variable: string }
  /** Value of `options.file`. */
  readonly file?: string | undefined
  /** Value of `options.stdin`. */
  readonly stdin?: boolean | undefined
  /** Asks twice, for a new password. */
  readonly twice?: boolean
}

/**
 * Reads a password from the file or standard input that an option names, else from the environment, else
 * from a prompt that does not show it. Throws a `UsageError` that says the ways, or `Interrupted`.
 */
export async function readPassword(request: PasswordRequest): Promise<Secret> {
  const { context, options, what, file, stdin } = request
  if (file !== undefined && stdin === true) {
    throw new UsageError(`${options.file} cannot be used with ${options.stdin}.`, 'Use one of them.')
  }
  if (file !== undefined) return fromFile(request, file)
  if (stdin === true && context.stdin.isTTY !== true) {
    return oneLine(await readAllInput(context), { what, source: 'standard input' })
  }
  const variable = context.env[options.variable]
  if (stdin !== true && variable !== undefined && variable !== '') {
    return oneLine(variable, { what, source: `the variable ${options.variable}` })
  }
  if (context.stdin.isTTY === true) return fromPrompt(request)
  throw new UsageError(
    `There is no terminal to ask for ${what}.`,
    `Pass it with ${options.file} FILE, with ${options.stdin}, or in the environment variable ${options.variable}.`,
  )
}

/** Reads a password from a file; `path` is relative to the working directory. */
export async function fromFile(
  request: Pick<PasswordRequest, 'what'> & {
    readonly context: Pick<CommandContext, 'stderr' | 'cwd' | 'signal'>
  },
  path: string,
): Promise<Secret> {
  const { context, what } = request
  const absolute = resolve(context.cwd, path)
  const input = { path: absolute, what: capitalized(what), pipe: context.signal }
  const { text, readableByOthers } = await readInputFile(input)
  if (readableByOthers) {
    context.stderr.write(
      `warning: ${absolute} contains ${what}, and users other than its owner can read it\n  fix: chmod 600 ${absolute}\n`,
    )
  }
  return oneLine(text, { what, source: absolute })
}

/** Without its last newline; a Basic login can carry no other (RFC 7617 section 2: no control characters). */
function oneLine(text: string, where: { readonly what: string; readonly source: string }): Secret {
  const line = text.replace(/\r?\n$/, '')
  if (line === '') {
    throw new UsageError(
      `${capitalized(where.what)} is empty in ${where.source}.`,
      'Write the password there, on one line.',
    )
  }
  if (/[\r\n]/.test(line)) {
    throw new UsageError(
      `${capitalized(where.what)} has more than one line in ${where.source}.`,
      'Keep only the line with the password: a login cannot contain a line break.',
    )
  }
  // What Node.js reads for bytes that are no UTF-8: any of them would then be the same password.
  if (line.includes('\ufffd')) {
    throw new UsageError(
      `${capitalized(where.what)} is not UTF-8 text in ${where.source}.`,
      'Save it as UTF-8, which the APIs use.',
    )
  }
  return new Secret(line)
}

async function fromPrompt(request: PasswordRequest): Promise<Secret> {
  const { context, what } = request
  const question = capitalized(what)
  const first = await promptHidden({ context, question })
  if (first === undefined || first.reveal() === '') {
    throw new UsageError(`${question} was not given.`, 'Type it and press Enter; it is not shown.')
  }
  if (request.twice !== true) return first
  const second = await promptHidden({ context, question: `${question}, again` })
  if (second === undefined || !first.equals(second)) {
    throw new UsageError(`The two entries for ${what} differ.`, 'Run the command again.')
  }
  return first
}
