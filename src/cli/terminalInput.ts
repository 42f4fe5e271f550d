import { StringDecoder } from 'node:string_decoder'
import type { CommandContext } from './context.ts'
import { Interrupted } from './interrupted.ts'
import { largestInput } from './readInputFile.ts'
import { UsageError } from './usageError.ts'

/** Value that a reader took from a piece of text, and the rest of the text. */
export type Taken<Value> = { readonly value: Value; readonly rest: string }

/**
 * Reads standard input piece by piece until `take` has what it wants; what lies behind that stays for the
 * next reader. Undefined where the input ends before. Rejects with `Interrupted` when the command is stopped.
 */
export function readInput<Value>(input: {
  readonly context: Pick<CommandContext, 'stdin' | 'signal'>
  readonly take: (text: string) => Taken<Value> | undefined
}): Promise<Value | undefined> {
  const { stdin, signal } = input.context
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8')
    const stop = () => {
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      stdin.off('error', onError)
      signal.removeEventListener('abort', onAbort)
      stdin.pause()
    }
    const onText = (text: string) => {
      try {
        const taken = input.take(text)
        if (taken === undefined) return
        stop()
        if (taken.rest !== '') stdin.unshift(taken.rest, 'utf8')
        resolve(taken.value)
      } catch (error) {
        onError(error)
      }
    }
    const onData = (chunk: Buffer | string) =>
      onText(typeof chunk === 'string' ? chunk : decoder.write(chunk))
    const onEnd = () => {
      // The bytes of a character that was begun and never ended.
      onText(decoder.end())
      stop()
      resolve(undefined)
    }
    const onError = (error: unknown) => {
      stop()
      reject(error)
    }
    const onAbort = () => onError(new Interrupted())
    if (signal.aborted) return reject(new Interrupted())
    if (stdin.readableEnded || stdin.destroyed) return resolve(undefined)
    stdin.on('data', onData)
    stdin.on('end', onEnd)
    stdin.on('error', onError)
    signal.addEventListener('abort', onAbort)
    stdin.resume()
  })
}

/**
 * All of standard input, to its end. Rejects with a `UsageError` if it is larger than any input can be, and with
 * `Interrupted` when the command is stopped.
 */
export async function readAllInput(context: Pick<CommandContext, 'stdin' | 'signal'>): Promise<string> {
  const texts: string[] = []
  let length = 0
  await readInput({
    context,
    take: (text) => {
      texts.push(text)
      length += text.length
      if (length > largestInput) {
        throw new UsageError(
          `Standard input is larger than ${largestInput / 1024 / 1024} MiB.`,
          'Redirect the right file to it: what is read from there is short.',
        )
      }
      return undefined
    },
  })
  return texts.join('')
}
