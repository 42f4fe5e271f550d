import { diagnose } from '../../diagnostics/diagnose.ts'
import type { YamlNode } from '../document/node.ts'
import { type Reading, textOf, textType, type ValueType } from './type.ts'

const shape = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

const plain = textType({ wants: 'a name', example: 'alpha', parse: (text) => text })

/** The name of a cluster; it is used in the names of units and files. */
export const clusterName: ValueType<string> = {
  ...plain,
  wants: 'a name of lower-case letters, digits and hyphens, at most 40',
  schema: { type: 'string', pattern: shape.source },
  read: (node: YamlNode, name: string): Reading<string> => {
    const text = textOf(node)
    if (text === undefined) return plain.read(node, name)
    if (shape.test(text)) return { value: text, findings: [] }
    return { findings: [diagnose('bad-cluster-name', {}, { span: node.span })] }
  },
}

/** The name of a host, as a service refers to it; whether there is such a host is a rule's question. */
export const hostName: ValueType<string> = textType({
  wants: 'the name of a host',
  example: 'db1',
  parse: (text) => (text === '' ? undefined : text),
})
