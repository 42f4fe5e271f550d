import { duration } from '../types/duration.ts'
import { listOfType } from '../types/listTypes.ts'
import { type Program, program } from '../types/program.ts'
import { variableName } from '../types/texts.ts'
import { type Setting, setting } from './setting.ts'

const scope = 'hooks'

/** Moments of a run at which a program of the operator can run, in their order. */
export const hookNames = ['before-run', 'before-host', 'after-host', 'on-failure', 'after-run'] as const

export type HookName = (typeof hookNames)[number]

/** The keys of `hooks` that name programs. */
export const hookPrograms: readonly (Setting<Program> & { readonly name: HookName })[] = hookNames.map(
  (name) => ({ ...setting({ name, scope, type: program }), name }),
)

/** The keys of `hooks` that all its programs share. */
export const hookLimits = {
  timeout: setting({
    name: 'timeout',
    scope,
    type: duration,
    default: 60_000,
  }),
  environment: setting({
    name: 'environment',
    scope,
    type: listOfType(variableName, 'a list of names of environment variables'),
    default: [],
  }),
} as const

export const allHooks: readonly Setting<unknown>[] = [...hookPrograms, ...Object.values(hookLimits)]
