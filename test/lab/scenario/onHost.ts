import { expect } from 'vitest'
import type { LabHost } from '../support/labTypes.ts'
import { callFrom, statusOf } from './apiFromHost.ts'

/** What a script that must succeed prints on a host, without the white space around it. */
export async function must(host: LabHost, script: string, stdin?: string): Promise<string> {
  const answer = await host.run(`set -e; ${script}`, stdin === undefined ? {} : { stdin })
  expect(answer, script).toMatchObject({ code: 0 })
  return answer.stdout.trim()
}

/** The release that a host runs. */
export const currentOf = (host: LabHost): Promise<string> =>
  must(host, 'basename "$(readlink /opt/muster/current)"')

/**
 * The HTTP status with which an API of a host answers the administrator who calls from that host; without an answer,
 * curl's own words.
 */
export const entered = async (
  host: LabHost,
  login: { readonly port: number; readonly password: string },
): Promise<number | string> => {
  const call = { ...login, address: host.address, path: '/api/v2/user/admin', user: 'admin' }
  const answer = await callFrom(host, call)
  return statusOf(answer) || answer.stderr
}
