import { allOptions } from '../settings/options.ts'
import { allFile, allHost, allService } from '../settings/places.ts'
import { allSsh } from '../settings/ssh.ts'
import { unavailableOptions, unavailableSsh } from '../settings/unavailable.ts'
import type { Place } from './readFields.ts'

/** The groups of a configuration file and what can stand in each (options.md, "The file"). */
export const places = {
  file: {
    name: 'the file',
    settings: allFile,
    groups: ['defaults', 'ssh', 'services', 'hosts'],
    unavailable: unavailableOptions,
    optional: false,
    deeper: { group: 'defaults', settings: allOptions },
  },
  defaults: {
    name: 'defaults',
    settings: allOptions,
    groups: [],
    unavailable: unavailableOptions,
    optional: true,
  },
  options: {
    name: 'options',
    settings: allOptions,
    groups: [],
    unavailable: unavailableOptions,
    optional: true,
  },
  ssh: {
    name: 'the ssh settings',
    settings: allSsh,
    groups: [],
    unavailable: unavailableSsh,
    optional: false,
  },
  service: {
    name: 'a service',
    settings: allService,
    groups: ['options'],
    unavailable: unavailableOptions,
    optional: false,
    deeper: { group: 'options', settings: allOptions },
  },
  host: {
    name: 'a host',
    settings: allHost,
    groups: ['ssh', 'options'],
    unavailable: unavailableOptions,
    optional: false,
    deeper: { group: 'options', settings: allOptions },
  },
} as const satisfies Record<string, Place>
