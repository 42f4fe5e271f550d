import { benchApi } from './api/benchApi.ts'
import { benchProxy } from './proxy/benchProxy.ts'
import { benchValidate } from './validate/benchValidate.ts'

/** What `npm run bench -- NAME` measures; each prints one JSON object of ratios. */
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  api: benchApi,
  proxy: benchProxy,
  validate: benchValidate,
}

const [name = ''] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  process.stderr.write(`npm run bench -- NAME, where NAME is ${Object.keys(benches).join(' or ')}\n`)
  process.exitCode = 3
} else {
  process.stdout.write(`${JSON.stringify(await bench(), null, 2)}\n`)
}
