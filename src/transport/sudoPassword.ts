import type { Readable, Writable } from 'node:stream'
import type { Secret } from '../secrets/secret.ts'

/** Bytes of a password that every sudo reads; what is longer would be read by what sudo starts. */
const longest = 255

/** Why sudo could not read this password from its standard input as one line; undefined when it can. */
export function unfitForSudo(password: Secret): string | undefined {
  const text = password.reveal()
  // sudo ends its line at either, and what follows would be read by what sudo starts.
  if (/[\n\r\0]/.test(text)) return 'has more than one line'
  if (Buffer.byteLength(text) > longest) return `is longer than ${longest} bytes`
  return text === '' ? 'is empty' : undefined
}

/**
 * Answers sudo's question once, when `prompt` comes: a sudo that asks for nothing must not be given a password,
 * which what it starts would read. Asked a second time, sudo has refused the first answer: `onRefused`, once.
 * Returns what stops listening.
 */
export function answerSudo(options: {
  readonly stderr: Readable
  readonly stdin: Writable
  /** Nothing else that the host prints has it in it. */
  readonly prompt: string
  readonly password: Secret
  readonly onRefused: () => void
}): () => void {
  const { stderr, stdin, prompt, password, onRefused } = options
  let tail = ''
  let asked = 0
  const stop = (): void => {
    stderr.off('data', onData)
  }
  const onData = (chunk: Buffer): void => {
    tail += chunk.toString('latin1')
    for (let at = tail.indexOf(prompt); at !== -1; at = tail.indexOf(prompt)) {
      tail = tail.slice(at + prompt.length)
      asked += 1
      if (asked === 1) stdin.write(`${password.reveal()}\n`)
      if (asked === 2) {
        stop()
        onRefused()
        return
      }
    }
    tail = tail.slice(-prompt.length)
  }
  stderr.on('data', onData)
  return stop
}
