import { allHooks } from '../settings/hooks.ts'
import { allOptions } from '../settings/options.ts'
import { allFile, allHost, allService } from '../settings/places.ts'
import { bySpelling } from '../settings/setting.ts'
import { allSsh } from '../settings/ssh.ts'
import type { Place } from './readFields.ts'

/** The groups of a configuration file and their settings (options.md, "The file"). */
export const places = {
  file: {
    name: 'the file',
    settings: bySpelling(allFile),
    groups: ['defaults', 'ssh', 'hooks', 'services', 'hosts'],
    hasOptions: false,
    hasExtensions: true,
    subgroup: { group: 'defaults', settings: bySpelling(allOptions) },
  },
  defaults: {
    name: 'defaults',
    settings: bySpelling(allOptions),
    groups: [],
    hasOptions: true,
  },
  options: {
    name: 'options',
    settings: bySpelling(allOptions),
    groups: [],
    hasOptions: true,
  },
  ssh: {
    name: 'the ssh settings',
    settings: bySpelling(allSsh),
    groups: [],
    hasOptions: false,
  },
  hooks: {
    name: 'the hooks',
    settings: bySpelling(allHooks),
    groups: [],
    hasOptions: false,
  },
  service: {
    name: 'a service',
    settings: bySpelling(allService),
    groups: ['options'],
    hasOptions: false,
    subgroup: { group: 'options', settings: bySpelling(allOptions) },
  },
  host: {
    name: 'a host',
    settings: bySpelling(allHost),
    groups: ['ssh', 'options'],
    hasOptions: false,
    subgroup: { group: 'options', settings: bySpelling(allOptions) },
  },
} as const satisfies Record<string, Place>
