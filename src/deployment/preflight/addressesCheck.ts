import { isLoopback, isWildcard } from '../../base/address.ts'
import { listenersOf } from '../desired/componentSettings.ts'
import { StepError } from '../stepError.ts'
import { type Check, ok } from './checkContract.ts'

/** Checks that each address the components listen on belongs to the host. */
export const addressesCheck: Check = {
  id: 'addresses',
  check: ({ host, facts }) => {
    const isHere = (address: string): boolean =>
      isWildcard(address) || isLoopback(address) || facts.addresses.includes(address)
    const options = new Map(
      host.apis
        .flatMap((api) => listenersOf(host, api))
        .map(({ address, addressOption }) => [addressOption, address] as const),
    )
    return [...options].flatMap(([option, address]) =>
      isHere(address)
        ? []
        : [
            new StepError({
              host: host.name,
              code: 'address-not-here',
              message: `${option} is ${address}, which is not an address of this host (it has ${facts.addresses.join(', ')})`,
              fix: `Set ${option} to one of them, or to 0.0.0.0 for all.`,
            }),
          ],
    )
  },
  describe: ({ facts }) => ok(facts.addresses.join(', ')),
}
