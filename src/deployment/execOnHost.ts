import { quote } from '../base/shellWords.ts'
import type { Transport } from '../transport/transport.ts'
import { TransportError } from '../transport/transportError.ts'
import { StepError } from './stepError.ts'

/** Bytes that are kept of each output stream. */
export const keptBytes = 64 * 1024

/**
 * Returns sh that runs one program with exactly these words as its name and arguments: nothing is expanded, and no
 * word is a shell command. Each output is cut after `keptBytes` and ends with a line that holds the number of bytes
 * cut; the program does not notice. Ends with the program's exit code.
 */
function execScript(words: readonly [string, ...string[]]): string {
  return `
bound() { dd bs=65536 count=${keptBytes} iflag=fullblock,count_bytes 2>/dev/null; printf '\\n%s' "$(wc -c)"; }
exec 3>&1
code=$(
  exec 4>&1
  {
    { ( exec ${words.map(quote).join(' ')} 3>&- 4>&- 5>&- ); echo "$?" >&4; } 2>&1 >&5 | bound >&2
  } 5>&1 | bound >&3
)
exit "$code"
`
}

/** One output stream of a program; `cut` is the number of bytes dropped at its end. */
export type ExecOutput = { readonly text: string; readonly cut: number }

/** Exit code and output of a program on a host. */
export type ExecResult = { readonly code: number; readonly stdout: ExecOutput; readonly stderr: ExecOutput }

/**
 * Runs a program on a host in one round trip; rejects with a `TransportError`, or with a `StepError` if it timed out.
 */
export async function execOnHost(
  transport: Transport,
  options: {
    readonly words: readonly [string, ...string[]]
    /** Time limit of the program in milliseconds. */
    readonly timeout: number
  },
): Promise<ExecResult> {
  const { words, timeout } = options
  const running = transport.run(execScript(words), { timeout })
  const { code, stdout, stderr } = await running.catch((error: unknown) => {
    throw error instanceof TransportError && error.code === 'timeout' ? timedOut(error, timeout) : error
  })
  return { code, stdout: outputOf(stdout.raw()), stderr: outputOf(stderr.raw()) }
}

/** Reports a program that timed out although the host is reachable. */
const timedOut = (cause: TransportError, timeout: number): StepError =>
  new StepError({
    host: cause.host,
    code: 'timeout',
    message: `the command timed out after ${timeout / 1000} s; it may still be running there`,
    fix: 'Increase --timeout, or check on the host what it is waiting for.',
    cause,
  })

/** Splits off the count of cut bytes in the last line. Enforces the limit here if the host did not. */
function outputOf(text: string): ExecOutput {
  const at = text.lastIndexOf('\n')
  const count = text.slice(at + 1)
  const all = text.slice(0, Math.max(0, at))
  const kept = all.slice(0, keptBytes)
  return { text: kept, cut: (/^\d{1,15}$/.test(count) ? Number(count) : 0) + all.length - kept.length }
}
