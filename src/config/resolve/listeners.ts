import type { Component } from '../../contracts/component.ts'
import { overlaps } from '../address.ts'
import { apiOptions } from '../settings/apiOptions.ts'
import type { Given } from '../shape/values.ts'
import type { ResolvedHost } from './resolved.ts'

/** An API that listens: where, and what in the files says so. */
export type Listener = {
  readonly component: Component
  readonly address: string
  readonly port: number
  /** Name of the option that gives its port. */
  readonly option: string
  readonly portGiven?: Given
  readonly addressGiven?: Given
}

/** The APIs of a host that are switched on. */
export function listenersOf(host: ResolvedHost): readonly Listener[] {
  return host.components.flatMap((component) => {
    const settings = apiOptions[component]
    const port = host.option(settings.port)
    const address = host.option(settings.address)
    if (host.option(settings.enabled).value === false) return []
    if (port.value === undefined || address.value === undefined) return []
    return [
      {
        component,
        address: address.value,
        port: port.value,
        option: settings.port.name,
        ...(port.given === undefined ? {} : { portGiven: port.given }),
        ...(address.given === undefined ? {} : { addressGiven: address.given }),
      },
    ]
  })
}

/** Whether the two cannot both listen on one machine. */
export const collide = (a: Listener, b: Listener): boolean =>
  a.port === b.port && overlaps(a.address, b.address)
