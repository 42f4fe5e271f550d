import type { DashboardEvent } from '../../contracts/dashboard.ts'

/**
 * Events that wait to be shown. Each carries one thing as a whole, so only the last of each thing is kept: however many
 * arrive, the queue is never longer than there are things.
 */
export class EventQueue {
  readonly #waiting = new Map<string, DashboardEvent>()

  push(event: DashboardEvent): void {
    const key = keyOf(event)
    // Removed first: what arrives last is applied last.
    this.#waiting.delete(key)
    this.#waiting.set(key, event)
  }

  /** Returns the events in their order, and forgets them. */
  take(): readonly DashboardEvent[] {
    const events = [...this.#waiting.values()]
    this.#waiting.clear()
    return events
  }
}

function keyOf(event: DashboardEvent): string {
  switch (event.kind) {
    case 'snapshot':
    case 'session':
      return event.kind
    case 'verdict':
      return JSON.stringify([event.cluster])
    case 'service':
      return JSON.stringify([event.cluster, 'service', event.service.name])
    case 'host':
      return JSON.stringify([event.cluster, 'host', event.host.name])
    case 'datasource':
      return JSON.stringify([event.cluster, 'datasource', event.datasource.service, event.datasource.name])
    case 'removed':
      return JSON.stringify([
        event.cluster,
        event.what,
        ...(event.what === 'datasource' ? [event.service ?? ''] : []),
        event.name,
      ])
  }
}
