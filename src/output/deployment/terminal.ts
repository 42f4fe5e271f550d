import { Listr, type ListrTaskWrapper } from 'listr2'
import type { DeploymentEvent, Phase } from '../../deployment/events.ts'
import type { Renderer } from './renderer.ts'

/** What each phase is called while it runs. */
const phaseTitles: Readonly<Record<Phase, string>> = {
  connect: 'connecting',
  facts: 'reading facts',
  stage: 'preparing',
  commit: 'switching over',
  verify: 'proving the logins',
}

type HostLine = {
  readonly done: () => void
  readonly fail: (error: Error) => void
  show: (text: string) => void
}

/** Live progress on a terminal: one line per host that says what the host is doing. */
export function terminalRenderer(hosts: readonly string[]): Renderer {
  const lines = new Map<string, HostLine>()
  const failed = new Set<string>()
  const tasks = hosts.map((host) => {
    const { promise, resolve, reject } = withResolvers()
    const line: HostLine = { done: resolve, fail: reject, show: () => {} }
    lines.set(host, line)
    return {
      title: host,
      // biome-ignore lint/suspicious/noExplicitAny: listr2 leaves the context type of a wrapper to the caller, and we use none.
      task: (_: unknown, task: ListrTaskWrapper<any, any, any>): Promise<void> => {
        line.show = (text) => {
          task.title = `${host}  ${text}`
        }
        return promise
      },
    }
  })
  const shown = new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    registerSignalListeners: false,
    // The plan and the closing lines say all of it again.
    rendererOptions: { clearOutput: true, showErrorMessage: false, collapseErrors: true },
  })
    .run()
    .then(
      () => undefined,
      () => undefined,
    )
  return {
    emit: (event) => {
      const line = 'host' in event ? lines.get(event.host) : undefined
      if (line === undefined || !('host' in event)) return
      if (event.type === 'host-failed') {
        failed.add(event.host)
        line.show(event.failure.message.split('\n')[0] ?? '')
        line.fail(new Error(event.failure.message))
      } else if (!failed.has(event.host)) {
        const text = textOf(event)
        if (text !== undefined) line.show(text)
      }
    },
    end: async () => {
      for (const line of lines.values()) line.done()
      await shown
    },
  }
}

function textOf(event: DeploymentEvent): string | undefined {
  if (event.type === 'phase-started') return phaseTitles[event.phase]
  if (event.type === 'step-started') return event.title
  return event.type === 'phase-done' && event.phase === 'verify' ? 'done' : undefined
}

function withResolvers(): {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
} {
  let resolve: () => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
