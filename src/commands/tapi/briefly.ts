import { readEnvelope } from '../../client/envelope.ts'
import { cell, object } from './cells.ts'

/** What a change brought, in a few words: `ONHOLD, changed`. */
export function briefly(body: unknown): string {
  const payload = object(readEnvelope(body)?.payload)
  const { changed, state, policy, value } = payload
  const what = [policy, state, value].map(cell).find((word) => word !== '-')
  const services = Object.entries(payload)
    .map(([name, service]) => [name, object(service)] as const)
    .filter(([, service]) => typeof service.changed === 'boolean')
    .map(([name, service]) => `${name} ${cell(service.state)}, ${word(service.changed)}`)
  const own = [
    ...(what === undefined ? [] : [what]),
    ...(typeof changed === 'boolean' ? [word(changed)] : []),
  ]
  return [...own, ...services].join(services.length > 0 ? '; ' : ', ')
}

const word = (changed: unknown): string => (changed === true ? 'changed' : 'unchanged')
