import { Listr, type ListrTaskWrapper } from 'listr2'
import { printableInColour } from '../../base/printable.ts'
import { followProgress } from './progress.ts'
import { progressLines } from './progressLines.ts'
import type { Renderer } from './renderer.ts'

/** Lines of a progress that a person still takes in at once. */
const readable = 16

/** Milliseconds between two changes of what is shown: faster than anybody reads. */
const pace = 80

/**
 * Live progress on a terminal, in a few lines however many hosts there are. It begins with the first event of a host:
 * a run that only has something to say shows none, and need not end it.
 */
export function terminalRenderer(options: {
  readonly hosts: readonly string[]
  readonly colour: boolean
  /** Lines of the terminal, as they are now. */
  readonly rows: () => number
}): Renderer {
  const progress = followProgress(options.hosts)
  let show = (_title: string): void => {}
  const lines = (): string =>
    printableInColour(
      progressLines(progress.now(), {
        // A display higher than the terminal could not be drawn over.
        most: Math.min(readable, options.rows() - 2),
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
      // The plan and the closing lines say all of it again.
      rendererOptions: { clearOutput: true, formatOutput: 'truncate' },
    }).run()
  return {
    emit: (event) => {
      if (!progress.observe(event) || isOver) return
      shown ??= begin()
      redraw ??= setTimeout(() => {
        redraw = undefined
        show(lines())
      }, pace)
    },
    end: async () => {
      isOver = true
      clearTimeout(redraw)
      end()
      await shown
    },
  }
}
