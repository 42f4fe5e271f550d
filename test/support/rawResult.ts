import type { RunResult } from '../../src/transport/transport.ts'
import type { ToldResult } from './fakeTransport.ts'

/** What a host printed, letter by letter, to be compared. */
export const rawResult = ({ code, stdout, stderr }: RunResult): ToldResult => ({
  code,
  stdout: stdout.raw(),
  stderr: stderr.raw(),
})
