import type { ClusterPicture } from '../../contracts/clusterPicture.ts'

/** Tells what a person can do for services whose primary is lost, and which no manager does. */
export const lostNotes = ({
  services,
  datasources,
}: Pick<ClusterPicture, 'services' | 'datasources'>): readonly string[] =>
  services.flatMap(({ name: service, writer, failover }) => {
    const isLost = writer !== null && writer.datasource === null && writer.code === null
    if (!isLost || writer.switching !== undefined || failover?.automatic === true) return []
    const [primary, second] = datasources.filter(
      (it) => it.service === service && it.role === 'primary' && it.state === 'FAILED',
    )
    if (primary === undefined || second !== undefined) return []
    return [
      `${service} has no writer: start the server of ${primary.name}, or let another one take its place with muster failover.`,
    ]
  })
