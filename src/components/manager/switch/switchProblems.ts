import { ProblemError } from '../../../api/problemError.ts'
import type { SwitchRefusal } from '../../../contracts/managerPayloads.ts'
import { DatabaseError } from '../../databases/databaseError.ts'
import { SwitchError } from './runSwitch.ts'

/** Problem of a service that cannot be switched as it is. */
export const wrongState = (detail: string, refusals: readonly SwitchRefusal[] = []): ProblemError =>
  new ProblemError({
    code: 'wrong-state',
    detail,
    errors: refusals.map(({ datasource, reason, fix }) => ({
      path: `/${datasource ?? ''}`,
      message: fix === null ? reason : `${reason} ${fix}`,
    })),
  })

/** Returns a reason with the name of its data source. */
export const sentenceOf = ({ datasource, reason }: SwitchRefusal): string =>
  datasource === null ? reason : `${datasource}: ${reason}`

/** Returns the problem of the response; what is a bug stays as it is. */
export const asProblem = (error: unknown): unknown =>
  error instanceof DatabaseError ? wrongState(`Nothing was changed. ${error.message}`) : error

/** Returns the sentence of a failure; throws what is a bug. */
export function sentence(error: unknown): string {
  if (error instanceof SwitchError || error instanceof DatabaseError || error instanceof ProblemError) {
    return `${error.message.replace(/\.$/, '')}.`
  }
  throw error
}
