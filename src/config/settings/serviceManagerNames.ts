/** Service managers that a file can name. `auto` selects the first one that works on the host. */
export const serviceManagerNames = ['systemd', 'process'] as const

export type ServiceManagerName = (typeof serviceManagerNames)[number]

export const isServiceManagerName = (word: string): word is ServiceManagerName =>
  serviceManagerNames.some((name) => name === word)
