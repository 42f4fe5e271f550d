import type { HostConfig } from './model.ts'

/** Whether a run reaches the host by a shell on this machine: what the command line says counts before the file. */
export const isReachedLocally = ({ connection, via = connection }: HostConfig): boolean => via === 'local'
