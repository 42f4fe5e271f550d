import type { ServiceView } from '../../client/clusterView.ts'
import type { ClusterPicture } from '../../contracts/clusterPicture.ts'
import type { HostStatus } from '../../deployment/hostStatus.ts'
import { pictureText } from '../pictureText.ts'
import type { Layout } from '../table.ts'
import { componentsText } from './componentsText.ts'

/** Writes a cluster; wide: a row for each component and the ports for clients first. The verdict is the last line. */
export function statusText(
  seen: {
    readonly picture: ClusterPicture
    readonly hosts: readonly HostStatus[]
    readonly services: readonly ServiceView[]
    readonly isWide: boolean
  },
  layout: Layout,
): string {
  const { picture, hosts, services: views, isWide } = seen
  const components = isWide ? [...componentsText(hosts, layout), ''] : []
  return `${[...components, ...pictureText({ picture, views }, layout)].join('\n')}\n`
}
