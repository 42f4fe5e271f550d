import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../../../templates/muster-component.service', import.meta.url))

export type UnitValues = Readonly<
  Record<
    | 'cluster'
    | 'component'
    | 'user'
    | 'group'
    | 'installDirectory'
    | 'capabilities'
    | 'addresses'
    | 'protectHome'
    | 'memoryMax'
    | 'cpuWeight'
    | 'tasksMax'
    | 'oomScoreAdjust'
    | 'stopSeconds',
    string
  >
>

/** The unit of templates/ with its placeholders filled; throws for one that has no value. */
export function unitFile(values: UnitValues): string {
  return readFileSync(file, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = Object.entries(values).find(([key]) => key === name)?.[1]
    if (value === undefined) throw new Error(`no value for the placeholder ${name}`)
    return value
  })
}
