import { benchApi } from './api/benchApi.ts'
import { benchDashboard } from './dashboard/benchDashboard.ts'
import { benchDeploy } from './deploy/benchDeploy.ts'
import { benchFailover } from './failover/benchFailover.ts'
import { benchProxy } from './proxy/benchProxy.ts'
import { benchSize } from './size/benchSize.ts'
import { benchSwitch } from './switch/benchSwitch.ts'
import { benchUsers } from './users/benchUsers.ts'
import { benchValidate } from './validate/benchValidate.ts'

/** What `npm run bench -- NAME` measures; each prints one JSON object of ratios. */
const benches: Readonly<Record<string, (parts: readonly string[]) => Promise<unknown>>> = {
  api: benchApi,
  dashboard: benchDashboard,
  deploy: benchDeploy,
  failover: benchFailover,
  proxy: benchProxy,
  size: benchSize,
  switch: benchSwitch,
  users: benchUsers,
  validate: benchValidate,
}

const [name = '', ...parts] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  process.stderr.write(`npm run bench -- NAME, where NAME is ${Object.keys(benches).join(' or ')}\n`)
  process.exitCode = 3
} else {
  process.stdout.write(`${JSON.stringify(await bench(parts), null, 2)}\n`)
}
