// Builds the page of the dashboard into one JSON module, which git ignores: the servers carry its files, already
// compressed, and read none.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'

const source = 'src/dashboard'
const module = 'src/web/page.json'

const { outputFiles, metafile } = buildSync({
  entryPoints: [`${source}/start.tsx`, `${source}/app.css`],
  entryNames: '[name]',
  outdir: 'dist/dashboard',
  bundle: true,
  write: false,
  minify: true,
  metafile: true,
  platform: 'browser',
  format: 'esm',
  target: ['chrome116', 'firefox124', 'safari17.4'],
  tsconfig: `${source}/tsconfig.json`,
  legalComments: 'none',
  logLevel: 'warning',
})
const built = (name) => Buffer.from(outputFiles.find(({ path }) => path.endsWith(`/${name}`)).contents)
const files = [
  ['index.html', 'text/html; charset=utf-8', readFileSync(`${source}/index.html`)],
  ['app.js', 'text/javascript; charset=utf-8', built('start.js')],
  ['app.css', 'text/css; charset=utf-8', built('app.css')],
  ['icon.svg', 'image/svg+xml', readFileSync(`${source}/icon.svg`)],
].map(([path, type, content]) => [
  path,
  {
    type,
    tag: createHash('sha256').update(content).digest('hex').slice(0, 32),
    gzip: gzipSync(content, { level: 9 }).toString('base64'),
    brotli: brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }).toString('base64'),
  },
])
const text = `${JSON.stringify(Object.fromEntries(files), null, 2)}\n`
// An unchanged file is not written: a newer one would cause a rebuild of the programs.
if (!existsSync(module) || readFileSync(module, 'utf8') !== text) writeFileSync(module, text)
// For the notices: whose code is in it. Not in dist/, whose files are all packed, since this is also run without a build.
mkdirSync('node_modules/.cache/muster', { recursive: true })
writeFileSync('node_modules/.cache/muster/dashboard.json', JSON.stringify(metafile))
