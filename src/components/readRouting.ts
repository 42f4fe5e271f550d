import { Value } from 'typebox/value'
import { parseJson } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'
import { readEnvelope } from '../client/envelope.ts'
import { type Routing, RoutingPayload } from '../contracts/routing.ts'

/** Reads an event of a manager; undefined where it is no routing. Its words are made printable and short. */
export function readRouting(data: string): Routing | undefined {
  const payload = readEnvelope(parseJson(data))?.payload
  if (!Value.Check(RoutingPayload, payload)) return undefined
  return {
    services: payload.services.map(({ name, writer, datasources }) => ({
      name,
      writer: { ...writer, reason: writer.reason === null ? null : lastLines(writer.reason) },
      datasources,
    })),
  }
}
