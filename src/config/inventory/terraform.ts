import { isObject } from '../../base/json.ts'
import { counted, shortListOf } from '../../base/words.ts'
import { hostAddressOf } from './connectionVariables.ts'
import {
  type Inventory,
  type InventoryHost,
  type InventoryProblem,
  mostHosts,
  shownWord,
  tooManyHosts,
} from './inventory.ts'
import { roleOf } from './roles.ts'

/** Shapes of outputs that are understood, for messages. */
const shapes =
  'a list of addresses, a map of names to addresses, a list or map of objects with an address (address, private_ip, ip, public_ip, …), or a map of such by role'

/** Members of an object that are its address, the best one first. */
const addressMembers = [
  'address',
  'ansible_host',
  'private_ip',
  'private_ip_address',
  'ipv4_address_private',
  'internal_ip',
  'ip',
  'ip_address',
  'ipv4_address',
  'network_ip',
  'public_ip',
  'public_ip_address',
  'nat_ip',
  'ipv6_address',
  'fqdn',
  'private_dns',
  'public_dns',
]

const nameMembers = ['name', 'hostname', 'host_name', 'host']

/** Returns true for the output of `terraform output -json` (or of OpenTofu). */
export const isTerraformOutput = (value: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(value).length > 0 &&
  Object.values(value).every((output) => isObject(output) && 'value' in output && 'type' in output)

/** Names what a JSON file of Terraform is that has outputs inside; undefined for other files. */
export function otherTerraformFile(value: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof value.terraform_version !== 'string') return undefined
  return 'format_version' in value ? 'the output of `terraform show -json`' : 'a state file of Terraform'
}

type Found = Pick<InventoryHost, 'name' | 'address' | 'ssh' | 'notes'> & { readonly role?: string }

const textIn = (value: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const text = Object.hasOwn(value, name) ? value[name] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** An IP address, or a name with a dot: a word such as subnet-12 could be anything. */
const addressIn = (text: string): string | undefined => {
  const address = hostAddressOf(text)
  return address !== undefined && /[.:]/.test(address) ? address : undefined
}

function hostOfObject(value: Readonly<Record<string, unknown>>, key: string | undefined): Found | undefined {
  const given = addressMembers.filter((name) => addressIn(textIn(value, name) ?? '') !== undefined)
  const [best, ...rest] = given
  if (best === undefined) return undefined
  const address = addressIn(textIn(value, best) ?? '')
  const tags = isObject(value.tags) ? textIn(value.tags, 'Name') : undefined
  const name = key ?? nameMembers.map((one) => textIn(value, one)).find((one) => one !== undefined) ?? tags
  const user = ['ssh_user', 'user', 'username']
    .map((one) => textIn(value, one))
    .find((one) => one !== undefined)
  const port = value.ssh_port
  const role = textIn(value, 'role')
  return {
    name: name ?? address ?? '',
    ...(address === undefined ? {} : { address }),
    ssh: {
      ...(user !== undefined && /^[A-Za-z_][A-Za-z0-9._-]{0,63}$/.test(user) && { user }),
      ...(typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 && { port }),
    },
    notes: rest.length === 0 ? [] : [`The address is its ${best}; the output also has ${shortListOf(rest)}.`],
    ...(role === undefined ? {} : { role }),
  }
}

function hostOf(value: unknown, key: string | undefined): Found | undefined {
  if (isObject(value)) return hostOfObject(value, key)
  if (typeof value !== 'string') return undefined
  const address = addressIn(value)
  return address === undefined ? undefined : { name: key ?? address, address, ssh: {}, notes: [] }
}

/** Returns the hosts of one output; undefined if a part of it is none. */
function hostsIn(value: unknown): readonly Found[] | undefined {
  const items: readonly (readonly [string | undefined, unknown])[] = Array.isArray(value)
    ? value.slice(0, mostHosts + 1).map((one: unknown) => [undefined, one] as const)
    : isObject(value)
      ? Object.entries(value).slice(0, mostHosts + 1)
      : []
  const hosts = items.map(([key, one]) => hostOf(one, key)).filter((one) => one !== undefined)
  return items.length > 0 && hosts.length === items.length ? hosts : undefined
}

/** Hosts of an output, or of a part of it, under its name. */
type Part = { readonly name: string; readonly hosts: readonly Found[] }

/** Returns the hosts of an output, or of its members that are named after a role; none if there are no hosts in it. */
function partsOf(name: string, value: unknown): readonly Part[] {
  const hosts = hostsIn(value)
  if (hosts !== undefined) return [{ name, hosts }]
  // A single address may be anything, such as that of a gateway: only the name can say that it is a host.
  const single =
    typeof value === 'string' && roleOf(name) !== undefined ? hostOf(value, undefined) : undefined
  if (single !== undefined) return [{ name, hosts: [single] }]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const inside = roleOf(key) === undefined ? undefined : hostsIn(one)
    return inside === undefined ? [] : [{ name: key, hosts: inside }]
  })
}

/** Reads the hosts of outputs; an output is a group of the same name. */
export function readTerraform(outputs: Readonly<Record<string, unknown>>): Inventory | InventoryProblem {
  const notes: string[] = []
  const read = Object.entries(outputs).flatMap(([name, output]) => {
    if (!isObject(output)) return []
    if (output.sensitive === true) {
      notes.push(`The output ${shownWord(name)} is sensitive and was not read.`)
      return []
    }
    const parts = partsOf(name, output.value)
    if (parts.length === 0 && typeof output.value === 'object' && output.value !== null) {
      notes.push(`The output ${shownWord(name)} was not read: it is not ${shapes}.`)
    }
    return parts
  })
  const withRole = read.filter(
    ({ name, hosts }) => roleOf(name) !== undefined || hosts.some(({ role }) => role),
  )
  const taken = withRole.length === 0 ? read : withRole
  for (const { name, hosts } of read) {
    if (!taken.some((one) => one.name === name)) {
      notes.push(
        `The output ${shownWord(name)} with ${counted(hosts.length, 'host')} was left out: its name is no role.`,
      )
    }
  }
  const byName = new Map<string, InventoryHost>()
  const nameByAddress = new Map<string, string>()
  for (const { name: output, hosts } of taken) {
    for (const { role, ...host } of hosts) {
      const earlier = byName.get(host.name) ?? byName.get(nameByAddress.get(host.address ?? '') ?? '')
      const groups = [...(earlier?.groups ?? []), output, ...(role === undefined ? [] : [role])]
      if (earlier === undefined) {
        byName.set(host.name, { ...host, groups, local: false })
        if (host.address !== undefined) nameByAddress.set(host.address, host.name)
      } else byName.set(earlier.name, { ...earlier, groups: [...new Set(groups)] })
      if (byName.size > mostHosts) return tooManyHosts
    }
  }
  if (byName.size === 0) {
    return {
      message: 'No output of Terraform holds hosts.',
      fix: `An output needs ${shapes}. Sensitive outputs are not read.`,
    }
  }
  return { kind: 'a Terraform output', hosts: [...byName.values()], notes }
}
