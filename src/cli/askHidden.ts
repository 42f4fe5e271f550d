import type { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { promptHidden } from './promptHidden.ts'

/** The last question of each terminal: two at once would share the answer's letters. */
const asked = new WeakMap<CommandContext, Promise<unknown>>()

/** Asks for the passphrase of a private key; undefined where there is no terminal, or no answer. */
export function askPassphrase(context: CommandContext, path: string): Promise<Secret | undefined> {
  return askHidden(context, `Passphrase of ${path}`)
}

/** Asks one thing after another; undefined where there is no terminal, or no answer. */
export function askHidden(context: CommandContext, question: string): Promise<Secret | undefined> {
  if (context.stdin.isTTY !== true) return Promise.resolve(undefined)
  const before = asked.get(context) ?? Promise.resolve()
  const answer = before.then(async () => {
    const given = await promptHidden({ context, question })
    return given === undefined || given.reveal() === '' ? undefined : given
  })
  asked.set(
    context,
    answer.catch(() => undefined),
  )
  return answer
}
