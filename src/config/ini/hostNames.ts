import { canonicalAddress } from '../../base/address.ts'

/** A host of an INI file, which may be named by its address; in a YAML file a host has a name. */
export type NamedHost = { readonly name: string; readonly address?: string }

/** The host that an INI file means by a name or an address: 10.0.0.11 becomes host-10-0-0-11 with that address. */
export function hostFrom(text: string): NamedHost {
  const address = canonicalAddress(text)
  if (address === undefined) return { name: text }
  // A name cannot end with a hyphen, and 1:: is 1::0.
  const name = `host-${address.replaceAll(/[.:]/g, '-')}`.replace(/-$/, '-0')
  return { name, address }
}

/** How an INI file names a host: by its address where `hostFrom` made its name. */
export const hostInIni = ({ name, address }: NamedHost): string =>
  address !== undefined && name === hostFrom(address).name ? address : name
