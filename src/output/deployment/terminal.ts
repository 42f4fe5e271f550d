import { Listr, type ListrTaskWrapper } from 'listr2'
import { printableInColour } from '../../base/printable.ts'
import { counted } from '../../base/words.ts'
import { paint } from '../paint.ts'
import { followProgress, type HostState, type Progress, type Renderer } from './progress.ts'

type Named = readonly [host: string, state: HostState]

const marks: Readonly<Record<HostState['kind'], string>> = {
  waiting: '·',
  working: '›',
  ended: '✔',
  failed: '✖',
}

/**
 * Writes at most `maxLines` lines (at least three): a headline, then every host; if they are too many, failed and
 * active hosts and the number of others.
 */
export function progressLines(
  { hosts, verb, wave, stopping }: Progress,
  options: { readonly maxLines: number; readonly colour: boolean },
): readonly string[] {
  const { dim, green, red, yellow } = paint(options.colour)
  const all = [...hosts]
  const of = (kind: HostState['kind']): readonly Named[] => all.filter(([, state]) => state.kind === kind)
  const width = Math.max(0, ...all.map(([host]) => host.length))
  const tint: Readonly<Record<HostState['kind'], (text: string) => string>> = {
    waiting: dim,
    working: (text) => text,
    ended: green,
    failed: red,
  }
  const line = ([host, { kind, text }]: Named): string =>
    tint[kind](`${marks[kind]} ${host.padEnd(width)}  ${text}`)
  const failed = of('failed')
  const head = [
    // A narrow terminal cuts the end off, so this comes first.
    ...(stopping ? [yellow('stopping after the current steps (Ctrl-C again: immediately)')] : []),
    `${of('ended').length} of ${counted(all.length, 'host')} ${verb}`,
    ...(failed.length > 0 ? [red(`${failed.length} failed`)] : []),
    ...(wave === '' ? [] : [wave]),
  ].join(', ')
  const room = Math.max(2, options.maxLines - 1)
  if (all.length <= room) return [head, ...all.map(line)]
  // Failures stay visible and leave room for active hosts.
  const forFailed = Math.min(failed.length, Math.max(1, Math.floor(room / 2)))
  const forWorking = room - forFailed
  return [
    head,
    ...shortened(of('working'), forWorking, 'at work', line, dim),
    ...shortened(failed, forFailed, 'failed', line, red),
  ]
}

/** Keeps at most `maxLines` lines; the last one counts the rest. */
function shortened(
  named: readonly Named[],
  maxLines: number,
  what: string,
  line: (one: Named) => string,
  tint: (text: string) => string,
): readonly string[] {
  if (named.length <= maxLines) return named.map(line)
  const shown = named.slice(0, maxLines - 1)
  return [...shown.map(line), tint(`  and ${named.length - shown.length} more ${what}`)]
}

/** Limit of progress lines, so that they can be read at a glance. */
const maxProgressLines = 16

/** Milliseconds between two updates of the display. */
const updateInterval = 80

/**
 * Shows live progress on a terminal in a few lines, whatever the number of hosts. It starts with the first
 * event of a host; without one, `end` need not be called.
 */
export function terminalRenderer(options: {
  readonly hosts: readonly string[]
  readonly colour: boolean
  /** Current number of terminal lines. */
  readonly rows: () => number
}): Renderer {
  const progress = followProgress(options.hosts)
  let show = (_title: string): void => {}
  const lines = (): string =>
    printableInColour(
      progressLines(progress.now(), {
        // A display higher than the terminal could not be drawn over.
        maxLines: Math.min(maxProgressLines, options.rows() - 2),
        colour: options.colour,
      }).join('\n'),
    )
  let redraw: ReturnType<typeof setTimeout> | undefined
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const task = {
    // biome-ignore lint/suspicious/noExplicitAny: listr2 leaves the context type of a wrapper to the caller, and we use none.
    task: (_: unknown, wrapper: ListrTaskWrapper<any, any, any>): Promise<void> => {
      show = (title) => {
        wrapper.title = title
      }
      return ended
    },
  }
  let isOver = false
  let shown: Promise<unknown> | undefined
  const begin = (): Promise<unknown> =>
    new Listr([{ ...task, title: lines() }], {
      registerSignalListeners: false,
      fallbackRenderer: 'silent',
      // The plan and the last lines repeat all of it.
      rendererOptions: { clearOutput: true, formatOutput: 'truncate' },
    }).run()
  return {
    emit: (event) => {
      if (!progress.observe(event) || isOver) return
      shown ??= begin()
      redraw ??= setTimeout(() => {
        redraw = undefined
        show(lines())
      }, updateInterval)
    },
    end: async () => {
      isOver = true
      clearTimeout(redraw)
      end()
      await shown
    },
  }
}
