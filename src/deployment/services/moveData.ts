import { quote } from '../../base/shellWords.ts'
import { installedData } from '../desiredService.ts'
import type { ServiceData } from '../layout.ts'
import { asService, type ServiceAccount } from '../serviceAccount.ts'
import type { Target } from '../target.ts'

/**
 * Returns the place that the components of a host leave with this run: that of another service manager. Undefined if
 * they stay, or nothing was started yet.
 */
export function movedFrom({ facts, layout, cluster, data }: MovingTarget): ServiceData | undefined {
  const from = installedData(facts, { layout, cluster })
  return facts.installation.account === undefined || from.place === data.place ? undefined : from
}

type MovingTarget = Pick<Target, 'facts' | 'layout' | 'cluster' | 'data'>

/** Returns the present data of a host, until its components are restarted. */
export const currentData = (target: MovingTarget): ServiceData => movedFrom(target) ?? target.data

/**
 * Returns sh that copies the components' data to another place, each file if it is newer, with the rights of the
 * service user. Skips sockets, links and locks.
 */
export function copyData(options: {
  readonly from: ServiceData
  readonly to: ServiceData
  readonly account: ServiceAccount
}): string {
  const { from, to, account } = options
  const pairs = (['users', 'state', 'log'] as const).map((name) => [from[name], to[name]])
  const folders = [...new Map(pairs.map((pair) => [pair.join('\n'), pair])).values()]
  return `${asService(account)}sh -c ${quote(copy)} sh ${folders.flat().map(quote).join(' ')}`
}

const copy = `umask 077
while [ "$#" -gt 0 ]; do
  for f in "$1"/*.json "$1"/*.jsonl* "$1"/*.log*; do
    [ -f "$f" ] && [ ! -L "$f" ] || continue
    to=$2/\${f##*/}
    # A file of root's, such as a log that a shell of root opened: kept under another name.
    if [ ! -r "$f" ]; then mv -f "$f" "$to.old" || exit 1; continue; fi
    if [ -e "$to" ] && [ ! "$f" -nt "$to" ]; then continue; fi
    cp -p "$f" "$to.new" && mv -f "$to.new" "$to" || exit 1
  done
  shift 2
done`

/**
 * Returns sh that removes the components' data: with the rights of the service user, then the empty folders. Expects
 * `set -e`.
 */
export const removeData = ({ folders, run }: ServiceData, account: ServiceAccount): string =>
  [
    ...folders.map(
      (folder) =>
        `if [ -d ${quote(folder)} ]; then ${asService(account)}find ${quote(folder)} -xdev -mindepth 1 -delete; rmdir ${quote(folder)}; fi`,
    ),
    `rmdir ${quote(run)} 2>/dev/null || :`,
  ].join('\n')
