import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createEventStreams,
  defaultEventStreamLimits,
  type EventStreamLimits,
  StreamsFullError,
} from '../base/eventStreams.ts'
import { dashboardPaths } from '../contracts/dashboard.ts'
import type { DashboardBackend } from './backend.ts'
import { DashboardError, loginRequired } from './dashboardError.ts'
import { createPictureFeeds } from './pictureFeeds.ts'
import type { Session } from './sessions.ts'
import { shownJson } from './shownJson.ts'

/** Event streams of the sessions. */
type ViewerStreams = {
  /** Answers with the events of the clusters that the session is logged in to. */
  open(request: IncomingMessage, response: ServerResponse, session: Session | undefined): void
  /** Tells the streams of a session that it has changed, and ends them. */
  end(session: Session): void
  close(): void
}

/** Keeps the open streams of one server within bounds. */
export function createViewerStreams(options: {
  readonly follow: DashboardBackend['follow']
  readonly now: () => Date
  readonly onFault: (error: unknown) => void
  readonly limits?: Partial<EventStreamLimits>
}): ViewerStreams {
  const { now } = options
  const feeds = createPictureFeeds(options)
  const streams = createEventStreams({ ...defaultEventStreamLimits, ...options.limits })
  /** Ends each stream of a session. */
  const open = new Map<Session, Set<() => void>>()

  function admit(stream: Parameters<typeof streams.admit>[0]): void {
    try {
      streams.admit(stream)
    } catch (error) {
      if (!(error instanceof StreamsFullError)) throw error
      throw new DashboardError({ code: 'busy', detail: error.message, headers: { 'Retry-After': '5' } })
    }
  }

  return {
    open(request, response, session) {
      const [login] = session?.logins.values() ?? []
      if (!session || !login) throw loginRequired()
      const stream = {
        path: dashboardPaths.events,
        owner: login.user,
        response,
        isAllowed: () => Promise.resolve(session.logins.size > 0),
      }
      admit(stream)
      // A connection kept open after the end of a stream would keep a stopping server waiting.
      response.writeHead(200, { 'Content-Type': 'text/event-stream', Connection: 'close' })
      if (request.method === 'HEAD') return void response.end()
      streams.open(stream, (viewer) => {
        const logOut = (): void => {
          viewer.send(shownJson({ kind: 'session', time: now().toISOString() }))
          viewer.end()
        }
        const ends = open.get(session) ?? new Set()
        open.set(session, ends.add(logOut))
        viewer.onEnd(() => {
          ends.delete(logOut)
          if (ends.size === 0) open.delete(session)
        })
        feeds.join(viewer, {
          clusters: [...session.logins.keys()].toSorted(),
          lastEventId: [request.headers['last-event-id']].flat()[0],
        })
      })
    },
    end: (session) => {
      for (const logOut of open.get(session) ?? []) logOut()
    },
    close: () => {
      streams.close()
      feeds.close()
    },
  }
}
