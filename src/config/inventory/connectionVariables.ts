import { canonicalAddress, impossibleAddress, isHostName, isWildcard } from '../../base/address.ts'
import { shortListOf } from '../../base/words.ts'

import { type InventoryHost, type InventorySsh, mostNotes, shownWord, type Variables } from './inventory.ts'

/** Returns an address that a host of the file can have; undefined for other text. */
export function hostAddressOf(text: string): string | undefined {
  if (impossibleAddress(text) !== undefined) return undefined
  const address = canonicalAddress(text)
  if (address === undefined) return isHostName(text) ? text : undefined
  return isWildcard(address) ? undefined : address
}

/** A user to log in as, a path and a jump host, as the types of `ssh` accept them. */
const isUser = (text: string): boolean => /^[^\s\p{C}:-][^\s\p{C}:]*$/u.test(text) && text.length <= 256
const isPath = (text: string): boolean =>
  text.trim() !== '' && !/\p{C}/u.test(text) && text.length <= 1000 && !text.startsWith('host:')
const isJump = (text: string): boolean => /^([^\s@:/]+@)?[A-Za-z0-9._-]+(:[0-9]{1,5})?$/.test(text)

/** Spellings of a variable, the current one first (Ansible, "Connecting to hosts: behavioral inventory parameters"). */
const spellings = {
  host: ['ansible_host', 'ansible_ssh_host'],
  port: ['ansible_port', 'ansible_ssh_port'],
  user: ['ansible_user', 'ansible_ssh_user'],
  identity: ['ansible_ssh_private_key_file', 'ansible_private_key_file'],
  connection: ['ansible_connection'],
  become: ['ansible_become', 'ansible_sudo'],
} as const

/** Passwords, which are never read. */
const secrets = [
  'ansible_password',
  'ansible_ssh_pass',
  'ansible_ssh_password',
  'ansible_become_pass',
  'ansible_become_password',
  'ansible_sudo_pass',
  'ansible_ssh_private_key_passphrase',
]

/** Arguments of ssh, which may hold a jump host. */
const sshArguments = ['ansible_ssh_common_args', 'ansible_ssh_extra_args', 'ansible_ssh_args']

/** Other variables that change how a host is reached. */
const others = [
  'ansible_become_method',
  'ansible_become_user',
  'ansible_shell_type',
  'ansible_ssh_executable',
]

const sshConnections = ['ssh', 'smart', 'paramiko', 'paramiko_ssh', 'ansible.builtin.ssh']
const localConnections = ['local', 'ansible.builtin.local']

const isTemplate = (text: string): boolean => /\{\{|\{%|\{#/.test(text)
const isVault = (text: string): boolean => text.trimStart().startsWith('$ANSIBLE_VAULT')

/** Returns the jump host of ssh arguments if they say nothing else. */
function jumpIn(text: string): string | undefined {
  const [, jump] = /^\s*(?:-J\s*|-o\s*["']?ProxyJump[= ]\s*)([^\s"',]+)["']?\s*$/.exec(text) ?? []
  return jump !== undefined && isJump(jump) ? jump : undefined
}

/** Derives how a host is reached from its variables; whatever cannot be carried over is named, never guessed. */
export function connectionOf(
  name: string,
  variables: Variables,
): Pick<InventoryHost, 'address' | 'ssh' | 'local' | 'notes'> {
  const notes: string[] = []
  const refuse = (variable: string, why: string): undefined => {
    notes.push(`${variable} was not carried over: ${why}`)
    return undefined
  }
  const textOf = (spelled: readonly string[]): { variable: string; text: string } | undefined => {
    const variable = spelled.find((one) => variables.has(one))
    const found = variable === undefined ? undefined : variables.get(variable)
    if (variable === undefined || found === undefined) return undefined
    const { value, sealed } = found
    if (sealed) return refuse(variable, 'its value is encrypted or has a tag.')
    if (value === null) return undefined
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      return refuse(variable, 'its value is no text.')
    }
    const text = String(value)
    if (isVault(text)) return refuse(variable, 'its value is encrypted by Ansible Vault.')
    if (isTemplate(text)) return refuse(variable, 'its value is a template, which only Ansible can fill in.')
    return { variable, text }
  }
  const read = <Value>(
    spelled: readonly string[],
    wants: string,
    parse: (text: string) => Value | undefined,
  ): Value | undefined => {
    const found = textOf(spelled)
    if (found === undefined) return undefined
    // Arguments of programs may hold a password.
    const shown = sshArguments.includes(found.variable) ? 'it' : shownWord(found.text)
    return parse(found.text) ?? refuse(found.variable, `${shown} is not ${wants}.`)
  }

  const address = read(spellings.host, 'an address or a host name', hostAddressOf)
  if (address === undefined && notes.length > 0)
    notes.push('Its name in the inventory stands for its address.')
  const port = read(spellings.port, 'a port', (text) =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65535 ? Number(text) : undefined,
  )
  const user = read(spellings.user, 'a user name', (text) => (isUser(text) ? text : undefined))
  const identity = read(spellings.identity, 'a path', (text) => (isPath(text) ? text : undefined))
  const become = read(spellings.become, 'true or false', (text) =>
    /^(true|yes|on|1)$/i.test(text) ? true : /^(false|no|off|0)$/i.test(text) ? false : undefined,
  )
  const connection = read(
    spellings.connection,
    'ssh or local, and muster has no other way to a host',
    (text) => (sshConnections.includes(text) ? 'ssh' : localConnections.includes(text) ? 'local' : undefined),
  )
  const jump = sshArguments
    .map((one) => read([one], 'a single ProxyJump; write it into ~/.ssh/config', jumpIn))
    .find((one) => one !== undefined)
  for (const secret of secrets) {
    if (variables.has(secret)) {
      refuse(secret, 'a password is not copied; use a key, or become-password with !env or !file under ssh.')
    }
  }
  for (const variable of others) {
    const found = textOf([variable])
    if (found === undefined || ['sudo', 'root', 'sh'].includes(found.text)) continue
    refuse(variable, 'muster becomes root by sudo and runs a POSIX sh.')
  }
  // In Ansible, a host named localhost is this machine unless told.
  const local = connection === 'local' || (connection === undefined && name === 'localhost')
  const ssh: InventorySsh = {
    ...(user !== undefined && { user }),
    ...(port !== undefined && { port }),
    ...(identity !== undefined && { identity }),
    ...(jump !== undefined && { jump }),
    ...(become !== undefined && { become }),
  }
  const unread = unreadOf(variables)
  return {
    ...(address !== undefined && { address }),
    ssh,
    local,
    notes: [...notes.slice(0, mostNotes), ...unread],
  }
}

const known: ReadonlySet<string> = new Set([
  ...Object.values(spellings).flat(),
  ...secrets,
  ...sshArguments,
  ...others,
])

/** Names encrypted variables and templates that muster has no use for, so that nobody looks for them. */
function unreadOf(variables: Variables): readonly string[] {
  const names = [...variables].flatMap(([name, { value, sealed }]) => {
    const isSealed = sealed || (typeof value === 'string' && (isVault(value) || isTemplate(value)))
    return isSealed && !known.has(name) ? [shownWord(name)] : []
  })
  return names.length === 0
    ? []
    : [`Encrypted values and templates that were not read: ${shortListOf(names, 8)}.`]
}
