import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isProblem } from '../../../src/config/inventory/inventory.ts'
import { readInventory } from '../../../src/config/inventory/readInventory.ts'

const folder = fileURLToPath(new URL('../../fixtures/inventory', import.meta.url))
const inventories = readdirSync(folder).filter(
  (name) => /\.(ini|yaml)$/.test(name) && !name.includes('.out.'),
)

const ansible = (...given: readonly string[]) =>
  spawnSync('ansible-inventory', given, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ANSIBLE_INVENTORY_UNPARSED_FAILED: 'true' },
  })
const hasAnsible = ansible('--version').status === 0

/** Returns the hosts with their groups and connections, without sentences. */
function hostsIn(text: string): readonly object[] {
  const inventory = readInventory(text)
  if (isProblem(inventory)) throw new Error(inventory.message)
  return inventory.hosts
    .map(({ notes: _, groups, ...host }) => ({ ...host, groups: [...groups].sort() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

describe.skipIf(!hasAnsible)('hosts of an inventory (needs ansible-inventory)', () => {
  it.each(inventories)('are those that Ansible reads, with their groups and connections: %s', (name) => {
    const path = `${folder}/${name}`
    const { status, stdout, stderr } = ansible('-i', path, '--list')
    expect(status, stderr).toBe(0)
    expect(hostsIn(readFileSync(path, 'utf8'))).toEqual(hostsIn(stdout))
  })
})
