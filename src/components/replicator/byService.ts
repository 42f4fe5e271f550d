import type { Channel } from '../databases/channel.ts'

/**
 * Channels by the names of their services: a channel's own name, and for the one without a name that of the data
 * service, or `<data service>-default` where another channel has that (names of channels ignore case).
 */
export function byService(channels: readonly Channel[], service: string): ReadonlyMap<string, Channel> {
  const isTaken = channels.some(({ name }) => name.toLowerCase() === service.toLowerCase())
  const unnamed = isTaken ? `${service}-default` : service
  return new Map(channels.map((channel) => [channel.name === '' ? unnamed : channel.name, channel]))
}
