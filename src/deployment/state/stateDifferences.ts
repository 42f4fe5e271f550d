import { X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { ClusterState, UserState } from './clusterState.ts'
import { encodeRotation, filesOfHost } from './stateFiles.ts'

/** Lists the differences of two states, one line each and without secrets; empty if they are equal. */
export function stateDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  return [
    ...authorityDifference(here, there),
    ...rotationDifference(here, there),
    ...hostDifferences(here, there),
    ...secretDifferences(here, there),
    ...machineDifferences(here, there),
    ...folderDifferences(here, there),
    ...wayDifferences(here, there),
  ]
}

function authorityDifference(here: ClusterState, there: ClusterState): readonly string[] {
  const [mine, theirs] = [here.authority, there.authority]
  if (mine?.certificate === theirs?.certificate) {
    const sameKey = mine === undefined || theirs === undefined || mine.key.equals(theirs.key)
    return sameKey ? [] : ['the key of the authority differs']
  }
  if (mine === undefined || theirs === undefined) return onlyAt('the authority', mine !== undefined)
  return [
    `the authority differs: here ${fingerprint(mine.certificate)}, there ${fingerprint(theirs.certificate)}`,
  ]
}

function rotationDifference(here: ClusterState, there: ClusterState): readonly string[] {
  const [mine, theirs] = [here, there].map((state) => encodeRotation(state))
  return mine?.equals(theirs ?? Buffer.of()) === true ? [] : ['the rotation of the authority differs']
}

function hostDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  return union(here.hosts, there.hosts).flatMap((host) => {
    const subject = `the stores of host ${host}`
    const [one, other] = [here.hosts.get(host), there.hosts.get(host)]
    if (one === undefined || other === undefined) return onlyAt(subject, one !== undefined)
    return one === other || sameStores(one, other) ? [] : [`${subject} differ`]
  })
}

function sameStores(one: HostStores, other: HostStores): boolean {
  const [mine, theirs] = [filesOfHost(one), filesOfHost(other)]
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].every((name) => mine[name]?.equals(theirs[name] ?? none) === true)
}

function secretDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  const [mine, theirs] = [here.storePasswords, there.storePasswords]
  const samePasswords =
    mine === undefined || theirs === undefined
      ? mine === theirs
      : mine.keystore.equals(theirs.keystore) && mine.truststore.equals(theirs.truststore)
  const users = union(here.users, there.users).flatMap((name) => {
    const [one, other] = [here.users.get(name), there.users.get(name)]
    if (one === undefined || other === undefined) return onlyAt(`user ${name}`, one !== undefined)
    return sameUser(one, other) ? [] : [`the stored data of user ${name} differs`]
  })
  return [...(samePasswords ? [] : ['the passwords of the stores differ']), ...users]
}

function sameUser(one: UserState, other: UserState): boolean {
  const kept = ({ password, pending, replaced }: UserState): string =>
    JSON.stringify([password?.reveal(), pending?.map((secret) => secret.reveal()), replaced])
  return one.salt.equals(other.salt) && kept(one) === kept(other)
}

function machineDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  return union(here.machines, there.machines).flatMap((host) => {
    const [one, other] = [here.machines.get(host), there.machines.get(host)]
    if (one === undefined || other === undefined) return onlyAt(`the machine of ${host}`, one !== undefined)
    return one === other ? [] : [`${host} is another machine`]
  })
}

function folderDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  return union(here.folders, there.folders).flatMap((host) => {
    const [one, other] = [here.folders.get(host), there.folders.get(host)]
    if (one === undefined || other === undefined) return onlyAt(`the folder of ${host}`, one !== undefined)
    return one === other ? [] : [`${host} is installed in another folder: here ${one}, there ${other}`]
  })
}

function wayDifferences(here: ClusterState, there: ClusterState): readonly string[] {
  return union(here.ways, there.ways).flatMap((host) => {
    const [one, other] = [here.ways.get(host), there.ways.get(host)]
    if (one === undefined || other === undefined) return onlyAt(`the way to ${host}`, one !== undefined)
    return isDeepStrictEqual(one, other) ? [] : [`the way to ${host} differs`]
  })
}

const none = Buffer.of()

const onlyAt = (subject: string, here: boolean): readonly string[] => [
  `${subject}: only ${here ? 'here' : 'there'}`,
]

const union = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].sort()

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256
