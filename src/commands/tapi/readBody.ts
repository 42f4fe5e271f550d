import { resolve } from 'node:path'
import { isObject } from '../../base/json.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { readAllInput } from '../../cli/terminalInput.ts'
import { UsageError } from '../../cli/usageError.ts'

/**
 * The body that `--body` means: JSON itself, `@FILE`, or `-` for standard input. Throws a `UsageError` for
 * what is not JSON, without quoting it, and for a password in the argument itself.
 */
export async function readBody(context: CommandContext, written: string): Promise<unknown> {
  if (written === '-') return parse(await readAllInput(context), 'standard input')
  if (written.startsWith('@')) {
    const path = resolve(context.cwd, written.slice(1))
    return parse((await readInputFile({ path, what: 'The body' })).text, path)
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
      'Write for example --body \'{"payloadType":"StringPayload","payload":{"value":"x"}}\', or @FILE, or -.',
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
