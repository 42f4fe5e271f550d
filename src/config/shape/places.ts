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
    groups: ['defaults', 'ssh', 'services', 'hosts'],
    optional: false,
    deeper: { group: 'defaults', settings: bySpelling(allOptions) },
  },
  defaults: {
    name: 'defaults',
    settings: bySpelling(allOptions),
    groups: [],
    optional: true,
  },
  options: {
    name: 'options',
    settings: bySpelling(allOptions),
    groups: [],
    optional: true,
  },
  ssh: {
    name: 'the ssh settings',
    settings: bySpelling(allSsh),
    groups: [],
    optional: false,
  },
  service: {
    name: 'a service',
    settings: bySpelling(allService),
    groups: ['options'],
    optional: false,
    deeper: { group: 'options', settings: bySpelling(allOptions) },
  },
  host: {
    name: 'a host',
    settings: bySpelling(allHost),
    groups: ['ssh', 'options'],
    optional: false,
    deeper: { group: 'options', settings: bySpelling(allOptions) },
  },
} as const satisfies Record<string, Place>
