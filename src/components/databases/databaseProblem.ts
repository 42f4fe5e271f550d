import { ProblemError } from '../../api/problemError.ts'
import type { ProblemCode } from '../../contracts/problems.ts'
import { DatabaseError, type DatabaseErrorCode } from './databaseError.ts'

const codes: Readonly<Record<DatabaseErrorCode, ProblemCode>> = {
  refused: 'database-refused',
  unproven: 'database-refused',
  unreachable: 'database-unreachable',
  timeout: 'database-timeout',
  'not-configured': 'not-configured',
  // It was there a moment ago, when the services were listed.
  'no-channel': 'wrong-state',
  running: 'wrong-state',
}

/** Does the work and turns a `DatabaseError` into the problem of the response. */
export async function withDatabaseProblems<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new ProblemError({ code: codes[error.code], detail: error.message })
  }
}
