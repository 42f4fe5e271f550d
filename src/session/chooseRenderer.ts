import type { CommandContext } from '../cli/context.ts'
import { colourOf, lineLayout } from '../cli/terminal.ts'
import { eventJson } from '../output/deployment/eventJson.ts'
import { failuresText, type HostFailure } from '../output/deployment/failureText.ts'
import { linesAfterPlan, plainLine, verboseLine } from '../output/deployment/logLines.ts'
import type { Renderer } from '../output/deployment/progress.ts'

/** Returns true where progress is shown live, and removed at the end. */
export const isLive = ({ stdout, env, verbosity }: CommandContext): boolean =>
  stdout.isTTY === true && env.TERM !== 'dumb' && verbosity === undefined

/**
 * The renderer that fits: JSON lines on standard output when asked for, live progress on a terminal, plain
 * lines elsewhere. Failures go to standard error, once.
 */
export async function chooseRenderer(options: {
  readonly context: CommandContext
  readonly json: boolean
  readonly hosts: readonly string[]
  /** A plan that names all steps was printed: a log does not repeat them. */
  readonly isPlanned?: boolean
}): Promise<Renderer> {
  const { context, json, hosts, isPlanned = false } = options
  const { stdout, stderr, now } = context
  if (json) {
    return { emit: (event) => stdout.write(eventJson(event, now())), end: async () => {} }
  }
  const reportFailures = (failures: readonly HostFailure[]): void => {
    if (failures.length === 0) return
    stderr.write(failuresText(failures, lineLayout(context, stderr)))
  }
  if (context.verbosity === 'quiet') return quietRenderer(reportFailures)
  if (isLive(context)) {
    // Loaded only here: most runs of muster print no progress.
    const { terminalRenderer } = await import('../output/deployment/terminal.ts')
    const terminal = terminalRenderer({
      hosts,
      colour: colourOf(context, stdout),
      rows: () => stdout.rows ?? 24,
    })
    const failures: HostFailure[] = []
    return {
      emit: (event) => {
        terminal.emit(event)
        // It belongs to no host's line, and comes between two displays: the fetch of a runtime, say.
        if (event.type === 'notice') stdout.write(plainLine(event) ?? '')
        if (event.type === 'host-failed') failures.push(event)
      },
      end: async () => {
        await terminal.end()
        reportFailures(inOrder(failures.splice(0), hosts))
      },
    }
  }
  // Failures of one moment are reported together, and immediately: a run can take hours.
  const failures: HostFailure[] = []
  const flush = (): void => reportFailures(failures.splice(0))
  const lineOf = context.verbosity === 'verbose' ? verboseLine : isPlanned ? linesAfterPlan() : plainLine
  return {
    emit: (event) => {
      const line = lineOf(event)
      if (event.type === 'host-failed') {
        if (failures.push(event) === 1) setImmediate(flush)
        return
      }
      if (line === undefined) return
      flush()
      stdout.write(line)
    },
    end: async () => flush(),
  }
}

/** Reports failures as they come, and nothing else. */
const quietRenderer = (report: (failures: readonly HostFailure[]) => void): Renderer => ({
  emit: (event) => {
    if (event.type === 'host-failed') report([event])
  },
  end: async () => {},
})

/** Failures in the order of the hosts. */
const inOrder = (failures: readonly HostFailure[], hosts: readonly string[]): readonly HostFailure[] =>
  failures.toSorted((one, other) => hosts.indexOf(one.host) - hosts.indexOf(other.host))
