import type { Transport } from '../../transport/transport.ts'
import { execScript } from './script.ts'

/** One output stream of a program; `cut`: bytes that came after what is kept. */
export type ExecOutput = { readonly text: string; readonly cut: number }

/** What a program left behind on a host. */
export type ExecResult = { readonly code: number; readonly stdout: ExecOutput; readonly stderr: ExecOutput }

/** Runs a program on a host in one round trip; rejects with a `TransportError`. */
export async function execOnHost(
  transport: Transport,
  options: {
    readonly words: readonly [string, ...string[]]
    /** Milliseconds that the program has. */
    readonly timeout: number
  },
): Promise<ExecResult> {
  const { code, stdout, stderr } = await transport.run(execScript(options.words), {
    timeout: options.timeout,
  })
  return { code, stdout: outputOf(stdout), stderr: outputOf(stderr) }
}

/** Takes the count of what was cut off again: the last line. */
function outputOf(text: string): ExecOutput {
  const at = text.lastIndexOf('\n')
  return { text: text.slice(0, Math.max(0, at)), cut: Number(text.slice(at + 1)) || 0 }
}
