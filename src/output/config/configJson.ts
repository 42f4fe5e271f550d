import { jsonText } from '../../base/json.ts'
import type {
  DescribedHost,
  DescribedValue,
  Description,
  ValueOrigin,
} from '../../config/describe/description.ts'
import type { Plain } from '../../config/types/type.ts'

/** Converts a value and its origin for JSON. */
export const jsonValue = ({
  value,
  origin,
}: DescribedValue): { readonly value: Plain; readonly origin: Omit<ValueOrigin, 'place'> } => {
  const { place, ...layer } = origin
  return { value, origin: { ...layer, ...place } }
}

const members = (values: readonly DescribedValue[]) =>
  Object.fromEntries(values.map((one) => [one.name, jsonValue(one)]))

const hostJson = ({ host, ssh, options }: DescribedHost) => ({
  ...members(host),
  ssh: members(ssh),
  options: members(options),
})

/** Writes every host with its resolved settings and their origins as one JSON object. */
export const configJson = ({ cluster, hosts }: Description): string =>
  jsonText({ cluster, hosts: Object.fromEntries(hosts.map((host) => [host.name, hostJson(host)])) })
