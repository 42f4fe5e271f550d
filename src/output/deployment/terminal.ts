import { Listr, type ListrTaskWrapper } from 'listr2'
import { advance, noProgress } from './progress.ts'
import { progressLines } from './progressLines.ts'
import type { Renderer } from './renderer.ts'

/** Lines of a progress that a person still takes in at once. */
const readable = 16

/** Live progress on a terminal, in a few lines however many hosts there are. */
export function terminalRenderer(options: {
  readonly hosts: readonly string[]
  readonly colour: boolean
  /** Lines of the terminal, as they are now. */
  readonly rows: () => number
}): Renderer {
  let progress = noProgress(options.hosts)
  let show = (_title: string): void => {}
  const lines = (): string =>
    progressLines(progress, {
      // A display higher than the terminal could not be drawn over.
      most: Math.min(readable, options.rows() - 2),
      colour: options.colour,
    }).join('\n')
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const task = {
    title: lines(),
    // biome-ignore lint/suspicious/noExplicitAny: listr2 leaves the context type of a wrapper to the caller, and we use none.
    task: (_: unknown, wrapper: ListrTaskWrapper<any, any, any>): Promise<void> => {
      show = (title) => {
        wrapper.title = title
      }
      return ended
    },
  }
  const shown = new Listr([task], {
    registerSignalListeners: false,
    fallbackRenderer: 'silent',
    // The plan and the closing lines say all of it again.
    rendererOptions: { clearOutput: true, formatOutput: 'truncate' },
  }).run()
  return {
    emit: (event) => {
      const next = advance(progress, event)
      if (next === progress) return
      progress = next
      show(lines())
    },
    end: async () => {
      end()
      await shown
    },
  }
}
