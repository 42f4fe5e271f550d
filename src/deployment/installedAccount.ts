import { quote } from '../base/shellWords.ts'
import { serviceManagerNames } from '../config/settings/serviceManagerNames.ts'
import type { Layout, ServiceData } from './layout.ts'
import { boundedSetpriv } from './serviceAccount.ts'
import { serviceData } from './services/implementations.ts'

export type Installation = { readonly layout: Layout; readonly cluster: string }

/** Returns all places where the components of an installation may store their data. */
export const allPlaces = ({ layout: { root }, cluster }: Installation): readonly ServiceData[] =>
  serviceManagerNames.map((place) => serviceData(place, { root, cluster }))

/**
 * Returns sh that finds the user of an installation's components: sets `place` (the name of a service manager, or
 * empty), `account`, and `as`, which drops root's rights for that user's files. Both are empty if there is no such
 * user, and root does not open the files instead. Uses only what root wrote, or the owner of a folder in a folder of
 * root's. Expects `me`, the id of the login. `prefix` replaces the command that drops the rights.
 */
export function findAccount(
  installation: Installation,
  { prefix = boundedSetpriv }: { readonly prefix?: typeof boundedSetpriv } = {},
): string {
  const account = quote(installation.layout.account)
  const unstarted = allPlaces(installation).map(
    ({ place, users }) =>
      `  if [ -z "$place" ] && [ -d ${quote(users)} ]; then place=${place}; account=$(stat -c %U ${quote(users)}); fi`,
  )
  return `place=; account=; as=
if [ -r ${account} ]; then read -r place account < ${account} || :
elif [ -f ${quote(installation.layout.manifest)} ]; then
  # A run that was stopped before the first start has made the folders of one place.
${unstarted.join('\n')}
fi
if [ "$me" = 0 ] && [ -n "$account" ] && [ "$account" != root ]; then
  gid=$(id -g "$account" 2>/dev/null) && as="${prefix('$account', '$gid')}" || { place=; account=; }
fi`
}

/** Returns sh that sets a variable to a path by `place`; empty if nothing was started there. */
export const pathByPlace = (
  variable: string,
  installation: Installation,
  path: (data: ServiceData) => string,
): string => `${variable}=
case $place in
${allPlaces(installation)
  .map((data) => `  ${data.place}) ${variable}=${quote(path(data))} ;;`)
  .join('\n')}
esac`
