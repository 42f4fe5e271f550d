import { describe, expect, it } from 'vitest'
import type { ApiConfig } from '../../../../src/config/model.ts'
import { reachableApis } from '../../../../src/deployment/users/viaApi/reachableApis.ts'
import { hostConfig } from '../../../support/deploymentValues.ts'

const api = (component: ApiConfig['component'], address: string, enabled = true): ApiConfig => ({
  component,
  enabled,
  address,
  port: 8090,
})

function reach(apis: readonly ApiConfig[], here = false) {
  const reached = reachableApis({ host: hostConfig({ apis }), here, authorities: ['ca'] })
  if (reached instanceof Error) return reached
  return {
    called: reached.apis.map(({ endpoint }) =>
      endpoint.kind === 'tcp' ? [endpoint.address, ...endpoint.names] : [],
    ),
    closed: reached.closed.map(({ component }) => component),
  }
}

describe('the APIs of a remote host', () => {
  it('are called at their listener by a name of their certificate', () => {
    expect(reach([api('manager', '0.0.0.0'), api('connector', '::'), api('replicator', '10.0.1.1')])).toEqual(
      {
        called: [
          ['10.0.0.11', '10.0.0.11', 'db1'],
          ['10.0.0.11', '10.0.0.11', 'db1'],
          ['10.0.1.1', '10.0.1.1', '10.0.0.11', 'db1'],
        ],
        closed: [],
      },
    )
  })

  it('are skipped on loopback if another API is reachable, and called from the host itself', () => {
    const apis = [api('manager', '0.0.0.0'), api('connector', '::1'), api('replicator', '10.0.1.1', false)]
    expect(reach(apis)).toEqual({ called: [['10.0.0.11', '10.0.0.11', 'db1']], closed: ['connector'] })
    expect(reach(apis, true)).toMatchObject({ called: [{}, ['::1', '10.0.0.11', 'db1']], closed: [] })
  })

  it('are a failure of the host if none is reachable', () => {
    expect(reach([api('manager', '127.0.0.1'), api('connector', '127.0.0.2')])).toMatchObject({
      host: 'db1',
      code: 'loopback-only',
      message: 'its APIs listen on 127.0.0.1 and 127.0.0.2 only, where other machines cannot reach them',
    })
    expect(reach([api('manager', '0.0.0.0', false)], true)).toMatchObject({ code: 'no-open-api' })
  })
})
