import { file } from '../settings/places.ts'

/** The service that a section is for: tpm knows letters, digits and _ in its name, muster letters, digits, - and dots. */
export const serviceFrom = (section: string): string => section.replaceAll('_', '-')

/** What tpm reads as something else than a service. */
const taken = ['defaults']

/** A section for each service, in their order: its name as tpm allows it, each used once. */
export function sectionsFor(services: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set(taken)
  return new Map(
    services.map((service) => {
      const wanted = service.replaceAll(/[^A-Za-z0-9_]/g, '_')
      let name = wanted
      for (let number = 2; used.has(name); number++) name = `${wanted}_${number}`
      used.add(name)
      return [service, name] as const
    }),
  )
}

const nowhere = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const canNameCluster = (text: string): boolean =>
  file.cluster.type.read({ kind: 'scalar', value: text, source: text, span: nowhere }, '').value !== undefined

/** The name of the cluster that is called after its first service. */
export function clusterFrom(service: string): string {
  const lower = service.toLowerCase().replaceAll('.', '-')
  return canNameCluster(lower) ? lower : service
}
