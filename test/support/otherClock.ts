import { existsSync } from 'node:fs'

/** The library of Debian's `faketime`, with which a program sees another time; undefined where it is not there. */
export const clockLibrary: string | undefined = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path))
