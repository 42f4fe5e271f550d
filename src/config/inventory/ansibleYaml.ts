import { linesOf } from '../document/lines.ts'
import type { MapNode, YamlNode } from '../document/node.ts'
import { resolveAliases } from '../document/resolveAliases.ts'
import { breaksTree } from '../document/syntaxFindings.ts'
import { parseYaml } from '../yaml.ts'
import { addHosts, emptyTree, type GroupTree, groupIn } from './groupTree.ts'
import { type InventoryProblem, shownWord, type Variable } from './inventory.ts'

/** Deepest nesting; each group in a group is two levels. */
const maxDepth = 64

const notYaml = (where: string): InventoryProblem => ({
  message: `The inventory is not valid YAML${where}.`,
  fix: 'Check it with: ansible-inventory --list',
})

/** Parses YAML to a tree; a problem says where it is broken. Never throws for its text. */
export function readTree(text: string): YamlNode | InventoryProblem {
  const lines = linesOf('', text)
  const parsed = parseYaml(text, maxDepth)
  if (parsed.tooDeep !== undefined) return notYaml(`: it nests deeper than ${maxDepth} levels`)
  const problem = parsed.problems.find(breaksTree) ?? parsed.problems[0]
  if (problem !== undefined) return notYaml(` at line ${lines.span(problem.from, problem.to).line}`)
  const root = parsed.roots[0]?.node
  if (root === undefined || parsed.roots.length > 1) return notYaml(': it needs exactly one document')
  const { root: tree, findings } = resolveAliases(root, lines)
  const broken = findings.find(({ code }) => code !== 'unknown-tag')
  return broken === undefined ? tree : notYaml(` at line ${broken.span.line}`)
}

/** Converts a value; one with a tag, such as `!vault`, is sealed. */
function variableOf(node: YamlNode): Variable {
  if (node.tag !== undefined || node.faulty === true) return { value: undefined, sealed: true }
  if (node.kind !== 'scalar') return { value: undefined }
  return { value: node.value }
}

const variablesOf = (node: YamlNode | undefined): ReadonlyMap<string, Variable> =>
  node?.kind === 'map' ? new Map(node.entries.map(({ key, value }) => [key, variableOf(value)])) : new Map()

const member = (node: MapNode, name: string): YamlNode | undefined =>
  node.entries.find(({ key }) => key === name)?.value

const isPart = ({ key }: { readonly key: string }): boolean => ['hosts', 'vars', 'children'].includes(key)

const isNothing = (node: YamlNode): boolean => node.kind === 'scalar' && node.value === null

const notAnInventory = (name: string): InventoryProblem => ({
  message: `${shownWord(name)} is no group of an inventory: a group has hosts, vars or children.`,
  fix: 'Name an Ansible inventory (YAML or INI), the output of `ansible-inventory --list`, or of `terraform output -json`.',
})

/** Reads an inventory in YAML (Ansible, `ansible.builtin.yaml`). */
export function readAnsibleYaml(root: MapNode): GroupTree | InventoryProblem {
  const plugin = member(root, 'plugin')
  if (plugin?.kind === 'scalar') {
    return {
      message: `It configures the inventory plugin ${shownWord(plugin.source)}, and names no hosts itself.`,
      fix: 'Let Ansible ask for the hosts: ansible-inventory -i FILE --list | muster init --from-inventory -',
    }
  }
  const tree = emptyTree()
  const visit = (name: string, node: YamlNode): InventoryProblem | undefined => {
    const group = groupIn(tree, name)
    if (isNothing(node)) return undefined
    // Ansible skips other members; one that has nothing else is no group.
    const isGroup = node.kind === 'map' && (node.entries.length === 0 || node.entries.some(isPart))
    if (!isGroup) return notAnInventory(name)
    for (const [key, value] of variablesOf(member(node, 'vars'))) group.variables.set(key, value)
    const hosts = member(node, 'hosts')
    if (hosts !== undefined && !isNothing(hosts)) {
      // Ansible also takes a single text for a host.
      const patterns =
        hosts.kind === 'map'
          ? hosts.entries.map(({ key, value }) => ({ pattern: key, variables: variablesOf(value) }))
          : hosts.kind === 'scalar'
            ? [{ pattern: hosts.source, variables: new Map<string, Variable>() }]
            : undefined
      if (patterns === undefined) return notAnInventory(name)
      for (const one of patterns) {
        const problem = addHosts(tree, { group: name, ...one, withPort: true })
        if (problem !== undefined) return problem
      }
    }
    const children = member(node, 'children')
    if (children === undefined || isNothing(children)) return undefined
    if (children.kind !== 'map') return notAnInventory(name)
    for (const { key, value } of children.entries) {
      group.children.add(key)
      const problem = visit(key, value)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  for (const { key, value } of root.entries) {
    const problem = visit(key, value)
    if (problem !== undefined) return problem
  }
  return tree
}
