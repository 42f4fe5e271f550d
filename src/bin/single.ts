import { createRequire } from 'node:module'
import { basename, resolve } from 'node:path'
import { getAsset } from 'node:sea'
import { compileFunction } from 'node:vm'

/**
 * Main script of the single executable. The name that it is called by chooses the program: `tapi`, `muster-api`, or
 * `node`, which is the link of a release to its runtime; `muster` by any other name.
 */
const name = basename(process.argv0)
if (name === 'node') runScript(process.argv.slice(2))
else runProgram(name === 'tapi' || name === 'muster-api' ? name : 'muster')

/** `require` of a single executable finds Node.js's own modules only: nothing beside the file is ever loaded. */
function runProgram(program: string): void {
  const filename = `dist/${program}.cjs`
  const code = getAsset(filename, 'utf8').replace(/^#!/, '//')
  const names = ['exports', 'require', 'module', '__filename', '__dirname']
  compileFunction(code, names, { filename })({}, require, { exports: {} }, filename, '/')
}

/** Does what hosts ask of Node.js: `node --version` and `node FILE ARGUMENT…`. */
function runScript([script, ...args]: readonly string[]): void {
  if (script === '--version') {
    process.stdout.write(`${process.version}\n`)
    return
  }
  if (script === undefined || script.startsWith('-')) {
    process.stderr.write(
      "node: this is muster's runtime; it takes `--version`, or a file and its arguments\n",
    )
    process.exitCode = 9
    return
  }
  const file = resolve(script)
  process.argv = [process.execPath, file, ...args]
  createRequire(file)(file)
}
