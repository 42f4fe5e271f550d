import type { Resolved } from './resolved.ts'

/** The value of a setting that has a default, which always has one. */
export function sure<T>(resolved: Resolved<T>): T {
  if (resolved.value === undefined) throw new Error('a setting without a default was taken for one with it')
  return resolved.value
}
