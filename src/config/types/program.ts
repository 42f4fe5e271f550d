import { secretReference } from './secretReference.ts'
import { type ValueType, wrongType } from './type.ts'

/** A program and its arguments, run without a shell. */
export type Program = readonly [string, ...string[]]

const wants = 'a program: !exec [program, argument]'

/** A program that runs on the operator's machine, named as that of a secret is. */
export const program: ValueType<Program> = {
  wants,
  example: '!exec [./notify-team.sh]',
  textual: false,
  tags: ['exec'],
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
  write: (command) => [...command],
  read: (node, name) => {
    const { value } = node.tag === 'exec' ? secretReference.read(node, name) : {}
    if (value?.kind === 'exec' && !value.command.some((word) => word.includes('\0')))
      return { value: value.command, findings: [] }
    const fix = `Write, for example: ${name}: !exec [./notify-team.sh]`
    return { findings: [wrongType(node, { name, wants, fix })] }
  },
}
