import type { ConnectorMode } from '../../contracts/connectorPayloads.ts'

/** What the connector does with new connections, since when (ISO 8601), and who said so. */
export type Mode = { readonly value: ConnectorMode; readonly since: string; readonly by: string }

/** The mode of a connector that nobody has changed yet. */
export const installedMode = (now: Date): Mode => ({
  value: 'ONLINE',
  since: now.toISOString(),
  by: 'installation',
})

/** The mode after somebody asked for one; the very same where it is that one already. */
export const changedMode = (
  mode: Mode,
  order: { readonly value: ConnectorMode; readonly by: string; readonly now: Date },
): Mode =>
  mode.value === order.value ? mode : { value: order.value, since: order.now.toISOString(), by: order.by }
