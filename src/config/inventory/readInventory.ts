import { isObject, parseJson } from '../../base/json.ts'
import { hasSections, readAnsibleIni } from './ansibleIni.ts'
import { isAnsibleList, readAnsibleList } from './ansibleJson.ts'
import { readAnsibleYaml, readTree } from './ansibleYaml.ts'
import { type GroupTree, hostsOf } from './groupTree.ts'
import { type Inventory, type InventoryProblem, isProblem } from './inventory.ts'
import { isTerraformOutput, otherTerraformFile, readTerraform } from './terraform.ts'

const understood =
  'Name an Ansible inventory (YAML or INI), the output of `ansible-inventory --list`, or of `terraform output -json`.'

function fromTree(kind: string, tree: GroupTree | InventoryProblem): Inventory | InventoryProblem {
  if (isProblem(tree)) return tree
  const hosts = hostsOf(tree)
  if (isProblem(hosts)) return hosts
  if (hosts.length === 0)
    return { message: `There is no host in it; it was read as ${kind}.`, fix: understood }
  return { kind, hosts, notes: [] }
}

function readJson(text: string): Inventory | InventoryProblem {
  const value = parseJson(text)
  if (!isObject(value)) return { message: 'It is not a JSON object, or too large.', fix: understood }
  if (isTerraformOutput(value)) return readTerraform(value)
  if (isAnsibleList(value)) return fromTree('the output of ansible-inventory --list', readAnsibleList(value))
  const other = otherTerraformFile(value)
  return {
    message:
      other === undefined ? 'It is JSON, but no known inventory.' : `It is ${other}, which may hold secrets.`,
    fix: other === undefined ? understood : 'Write the outputs alone: terraform output -json > outputs.json',
  }
}

/** Returns true for a JSON list or text, as `terraform output -json NAME` prints it. */
const isListOrText = (text: string): boolean => {
  if (!/^\s*["[]/.test(text)) return false
  const value = parseJson(text)
  return Array.isArray(value) || typeof value === 'string'
}

/**
 * Reads hosts from a file of another tool, which is recognized by its content. Nothing in it runs, and no other file is
 * read. Never throws for its text.
 */
export function readInventory(given: string): Inventory | InventoryProblem {
  const text = given.replace(/^\ufeff/, '')
  if (text.includes('\0')) return { message: 'It is not a text: it has a NUL character.', fix: understood }
  if (text.trimStart().startsWith('$ANSIBLE_VAULT')) {
    return {
      message: 'The whole file is encrypted by Ansible Vault.',
      fix: 'Pass it decrypted on standard input: ansible-vault view inventory.yaml | muster init --from-inventory -',
    }
  }
  if (text.trimStart().startsWith('{')) return readJson(text)
  if (isListOrText(text)) {
    return {
      message: 'It is a JSON value without names, such as a single output of Terraform.',
      fix: 'Write all outputs with their names: terraform output -json > outputs.json',
    }
  }
  if (hasSections(text)) return fromTree('an Ansible inventory in INI', readAnsibleIni(text))
  const root = readTree(text)
  if (isProblem(root)) {
    // A list of hosts without a section may be no YAML.
    const ini = readAnsibleIni(text)
    return looksLikeHosts(ini) ? fromTree('an Ansible inventory in INI', ini) : root
  }
  if (root.kind === 'map') return fromTree('an Ansible inventory in YAML', readAnsibleYaml(root))
  if (root.kind === 'list')
    return { message: 'It is a list, such as a playbook, and no inventory.', fix: understood }
  return fromTree('an Ansible inventory in INI', readAnsibleIni(text))
}

const looksLikeHosts = (tree: GroupTree | InventoryProblem): tree is GroupTree =>
  !isProblem(tree) && [...tree.hosts.keys()].every((name) => /^[\w.:-]+$/.test(name))
