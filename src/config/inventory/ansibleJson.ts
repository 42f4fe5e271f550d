import { isObject } from '../../base/json.ts'
import { addHosts, emptyTree, type GroupTree, groupIn } from './groupTree.ts'
import type { InventoryProblem, Variable, Variables } from './inventory.ts'

/** Converts a value of `ansible-inventory --list`; values of Vault are sealed. */
function variableOf(value: unknown): Variable {
  if (!isObject(value)) return { value }
  if (typeof value.__ansible_unsafe === 'string') return { value: value.__ansible_unsafe }
  return '__ansible_vault' in value ? { value: undefined, sealed: true } : { value }
}

const variablesOf = (value: unknown): Variables =>
  new Map(Object.entries(isObject(value) ? value : {}).map(([name, one]) => [name, variableOf(one)] as const))

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Names the member that has the variables of the hosts, in a list of groups. */
const hostVariables = '_meta'

/** Returns true for the output of `ansible-inventory --list`, or of a dynamic inventory. */
export const isAnsibleList = (value: Readonly<Record<string, unknown>>): boolean =>
  isObject(value[hostVariables]) ||
  Object.values(value).some(
    (group) =>
      Array.isArray(group) ||
      (isObject(group) && (Array.isArray(group.hosts) || Array.isArray(group.children))),
  )

/** Reads the output of `ansible-inventory --list`. */
export function readAnsibleList(value: Readonly<Record<string, unknown>>): GroupTree | InventoryProblem {
  const tree = emptyTree()
  const said = value[hostVariables]
  const meta = isObject(said) && isObject(said.hostvars) ? said.hostvars : {}
  for (const [name, group] of Object.entries(value)) {
    if (name === hostVariables) continue
    const { children, variables } = groupIn(tree, name)
    const members = isObject(group) ? group : { hosts: group }
    for (const child of texts(members.children)) children.add(child)
    for (const [key, one] of variablesOf(members.vars)) variables.set(key, one)
    for (const host of texts(members.hosts)) {
      const own = Object.hasOwn(meta, host) ? meta[host] : undefined
      const problem = addHosts(tree, { group: name, pattern: host, variables: variablesOf(own) })
      if (problem !== undefined) return problem
    }
  }
  for (const host of Object.keys(meta)) {
    if (tree.hosts.has(host)) continue
    const problem = addHosts(tree, { group: 'ungrouped', pattern: host, variables: variablesOf(meta[host]) })
    if (problem !== undefined) return problem
  }
  return tree
}
