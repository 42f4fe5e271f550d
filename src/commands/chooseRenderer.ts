import { failureText } from '../output/deployment/failure.ts'
import { jsonLine } from '../output/deployment/json.ts'
import { plainLine } from '../output/deployment/plain.ts'
import type { Renderer } from '../output/deployment/renderer.ts'
import type { CommandContext } from './context.ts'
import { colourOf } from './terminal.ts'

/** Whether progress is shown live, and gone in the end. */
export const isLive = ({ stdout, env }: CommandContext): boolean =>
  stdout.isTTY === true && env.TERM !== 'dumb'

/**
 * The renderer that fits: JSON lines on standard output when asked for, live progress on a terminal, plain
 * lines elsewhere. Failures go to standard error, once.
 */
export async function chooseRenderer(options: {
  readonly context: CommandContext
  readonly json: boolean
  readonly hosts: readonly string[]
}): Promise<Renderer> {
  const { context, json, hosts } = options
  const { stdout, stderr, now } = context
  if (json) {
    return { emit: (event) => stdout.write(jsonLine(event, now())), end: async () => {} }
  }
  if (isLive(context)) {
    // Loaded only here: most runs of muster print no progress.
    const { terminalRenderer } = await import('../output/deployment/terminal.ts')
    const terminal = terminalRenderer({
      hosts,
      colour: colourOf(context, stdout),
      rows: () => stdout.rows ?? 24,
    })
    const failures: string[] = []
    return {
      emit: (event) => {
        terminal.emit(event)
        // It belongs to no host's line, and comes between two displays: the fetch of a runtime, say.
        if (event.type === 'notice') stdout.write(plainLine(event) ?? '')
        if (event.type === 'host-failed')
          failures.push(failureText({ ...event, colour: colourOf(context, stderr) }))
      },
      end: async () => {
        await terminal.end()
        for (const failure of failures.splice(0)) stderr.write(failure)
      },
    }
  }
  return {
    emit: (event) => {
      const line = plainLine(event)
      if (line !== undefined) (event.type === 'host-failed' ? stderr : stdout).write(line)
    },
    end: async () => {},
  }
}
