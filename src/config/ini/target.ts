import { allOptions } from '../settings/options.ts'
import { allHost, file } from '../settings/places.ts'
import type { Setting } from '../settings/setting.ts'
import { allSsh } from '../settings/ssh.ts'
import type { Group } from './sheet.ts'

/** What a path in a comment for muster names; `section` and `hosts` are no settings of the YAML file. */
export type Target =
  | { readonly kind: 'setting'; readonly group: Group; readonly setting: Setting<unknown> }
  | { readonly kind: 'service-name'; readonly section: string }
  | { readonly kind: 'host-order' }

function settingOf(group: Group, table: readonly Setting<unknown>[], name: string): Target | undefined {
  const setting = table.find((one) => one.name === name)
  return setting === undefined ? undefined : { kind: 'setting', group, setting }
}

function hostTarget(path: string): Target | undefined {
  // The last words are names of our own, so that dots in the name of the host do no harm.
  const [, of = '', place, key = ''] = /^(.+)\.(?:(ssh|options)\.)([a-z-]+)$/.exec(path) ?? []
  if (place === 'ssh') return settingOf({ kind: 'host-ssh', of }, allSsh, key)
  if (place === 'options') return settingOf({ kind: 'host-options', of }, allOptions, key)
  const [, host = '', field = ''] = /^(.+)\.([a-z]+)$/.exec(path) ?? []
  return settingOf({ kind: 'host', of: host }, allHost, field)
}

/** What a path of YAML names with dots means; services go by the names of their sections. */
export function targetOf(path: string): Target | undefined {
  if (path === 'cluster') return { kind: 'setting', group: { kind: 'file' }, setting: file.cluster }
  if (path === 'hosts') return { kind: 'host-order' }
  const [, top, rest = ''] = /^(ssh|defaults|services|hosts)\.(.+)$/.exec(path) ?? []
  if (top === 'ssh') return settingOf({ kind: 'ssh' }, allSsh, rest)
  if (top === 'defaults') return settingOf({ kind: 'defaults' }, allOptions, rest)
  if (top === 'hosts') return hostTarget(rest)
  const [, section = '', key = ''] = /^(\w+)\.(name|options\.[a-z-]+)$/.exec(rest) ?? []
  if (section === '') return undefined
  if (key === 'name') return { kind: 'service-name', section }
  const group: Group = { kind: 'service-options', of: section }
  return settingOf(group, allOptions, key.replace('options.', ''))
}
