import { exportIni } from '../../../src/config/ini/exportIni.ts'
import { importIni } from '../../../src/config/ini/importIni.ts'
import { joinLines } from '../../../src/config/ini/readIni.ts'
import type { LoadResult } from '../../../src/config/load.ts'
import type { Values } from '../../../src/config/shape/draft.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { loadText } from '../loadText.ts'

const places: readonly string[] = ['span', 'keySpan', 'at', 'setting', 'spelling']

/** A value without places, secrets in the open. */
function plain(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() }
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).filter(([key]) => !places.includes(key))
  return Object.fromEntries(parts.map(([key, part]) => [key, plain(part)]))
}

const ofValues = (values: Values): unknown =>
  Object.fromEntries(
    [...values]
      .map(([name, { value }]) => [name, plain(value)] as const)
      .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** All that a configuration says, without where it says it. */
export function meaning(result: LoadResult): unknown {
  const { draft } = result.cluster ?? {}
  if (draft === undefined) throw new Error('the file could not be understood')
  return {
    fields: ofValues(draft.fields),
    defaults: ofValues(draft.defaults),
    ssh: ofValues(draft.ssh),
    services: [...draft.services.values()].map(({ name, fields, options }) => ({
      name,
      fields: ofValues(fields),
      options: ofValues(options),
    })),
    hosts: [...draft.hosts.values()].map(({ name, fields, ssh, options }) => ({
      name,
      fields: ofValues(fields),
      ssh: ofValues(ssh),
      options: ofValues(options),
    })),
  }
}

/** The YAML text of an INI text. */
export const toYaml = (ini: string): string =>
  joinLines(importIni({ name: 'tungsten.ini', text: ini }).yaml ?? [], 'text')

/** The INI text of a configuration without errors. */
export function toIni(result: LoadResult): string {
  if (result.cluster === undefined) throw new Error('the file could not be understood')
  return joinLines(exportIni({ cluster: result.cluster, directory: '/etc/muster' }).ini, 'text')
}

/** A configuration once written as INI and read again. */
export const throughIni = (result: LoadResult): LoadResult => loadText(toYaml(toIni(result)))
